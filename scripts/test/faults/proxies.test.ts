import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { freePort, startWorld, type World } from '@mailproof/world';
import {
  root,
  serveMailproof,
  startProgram,
  type Serving,
  type Settings,
  type Started,
} from '../../../service/test/support/mailproof.ts';
import { until } from '../../../service/test/support/until.ts';
import { ensureDebianPackages } from '../../debian-packages.ts';

/** The examples of proxies in `ops/`, each started as it is but for addresses, and asked by a client elsewhere. */
const folder = mkdtempSync(join(tmpdir(), 'mailproof-proxies-'));
const started: Started[] = [];
let world: World;
/** By the base path that they are told of. */
const services = new Map<string, { service: Serving; liveKey: string }>();

before(async () => {
  await ensureDebianPackages([
    { name: 'nginx-light', proof: '/usr/sbin/nginx' },
    { name: 'caddy', proof: '/usr/bin/caddy' },
    { name: 'openssl', proof: '/usr/bin/openssl' },
  ]);
  world = await startWorld({
    zones: { 'plain.test': { mx: [[10, 'mx.plain.test']] } },
    hosts: { 'mx.plain.test': { mailboxes: { alive: 'exists' } } },
  });
  for (const basePath of ['', '/mailproof']) {
    const service = await serveMailproof({
      env: {
        ...world.environment,
        MAILPROOF_DATA_DIR: join(folder, `data${basePath}`),
        MAILPROOF_TRUSTED_PROXIES: '127.0.0.1',
        MAILPROOF_BASE_PATH: basePath,
      },
    });
    const [liveKey = ''] = /mp_live_\w+/.exec(service.stdout()) ?? [];
    services.set(basePath, { service, liveKey });
  }
});
after(async () => {
  for (const proxy of started) await proxy.stop();
  for (const { service } of services.values()) await service.kill();
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Proxy = {
  name: string;
  /** The example. */
  file: string;
  basePath: string;
  start: (file: string, port: number, upstream: string) => { program: string; args: string[]; env: Settings };
};

const proxies: Proxy[] = [
  { name: 'nginx', file: 'ops/nginx/mailproof.conf', basePath: '', start: nginx },
  { name: 'Caddy', file: 'ops/caddy/Caddyfile', basePath: '', start: caddy },
  {
    name: 'nginx, which passes a base path on',
    file: 'ops/nginx/mailproof-under-path.conf',
    basePath: '/mailproof',
    start: nginx,
  },
  {
    name: 'Caddy, which takes a base path off',
    file: 'ops/caddy/Caddyfile-under-path',
    basePath: '/mailproof',
    start: caddy,
  },
];

/** Replaces what is there exactly once, so that the example cannot change unseen. */
function replaceOne(source: string, from: string, to: string): string {
  assert.equal(source.split(from).length, 2, from);
  return source.replace(from, to);
}

function nginx(file: string, port: number, upstream: string) {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=verify.example.com', '-addext', 'subjectAltName=DNS:verify.example.com'];
  const made = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ];
  execFileSync('openssl', [...made, '-keyout', key, '-out', certificate, ...subject], { stdio: 'pipe' });
  let site = readFileSync(join(root, file), 'utf8');
  const [, name = ''] = /server_name (.+);/.exec(site) ?? [];
  site = replaceOne(site, 'listen 443 ssl', `listen 127.0.0.1:${port} ssl`);
  site = replaceOne(site, 'server 127.0.0.1:8080', `server ${upstream}`);
  site = replaceOne(site, `/etc/ssl/${name}.pem`, certificate);
  site = replaceOne(site, `/etc/ssl/private/${name}.key`, key);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  writeFileSync(join(folder, 'site.conf'), site);
  const main = [
    `pid ${join(folder, 'nginx.pid')};`,
    'daemon off;',
    'user root;',
    'error_log stderr;',
    'events {}',
  ];
  const http = `http { access_log off; ${places.join(' ')} include ${join(folder, 'site.conf')}; }`;
  writeFileSync(join(folder, 'nginx.conf'), [...main, http].join('\n'));
  return { program: '/usr/sbin/nginx', args: ['-c', join(folder, 'nginx.conf'), '-e', 'stderr'], env: {} };
}

function caddy(file: string, port: number, upstream: string) {
  const site = join(root, file);
  const options = '{\n admin off\n skip_install_trust\n auto_https disable_redirects\n}\n';
  writeFileSync(join(folder, 'Caddyfile'), `${options}import ${site}\n`);
  const env = {
    SITE: `https://verify.localhost:${port}`,
    UPSTREAM: upstream,
    XDG_DATA_HOME: folder,
    HOME: folder,
  };
  const args = ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
  return { program: '/usr/bin/caddy', args, env };
}

type Call = { port: number; path: string; body?: string; headers?: Record<string, string> };

type Answered = { status: number; text: string; headers: IncomingHttpHeaders };

/** From another address than the proxy's own, so that it can be told who called. */
function call({ port, path, body, headers = {} }: Call): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        localAddress: '127.0.0.2',
        path,
        method: body === undefined ? 'GET' : 'POST',
        servername: 'verify.localhost',
        rejectUnauthorized: false,
        headers: { host: 'verify.localhost', 'content-type': 'application/json', ...headers },
      },
      (answer) => {
        const { statusCode = 0, headers: answered } = answer;
        text(answer).then((all) => resolve({ status: statusCode, text: all, headers: answered }), reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Turned away because this machine is busy, it comes again, as clients do. */
function ask(what: Call): Promise<Answered> {
  return until(
    () => call(what),
    ({ status }) => status !== 503,
  );
}

/** The line of the log that belongs to a request. */
async function logged(service: Serving, { headers }: Answered): Promise<{ client: string }> {
  const requestId = String(headers['x-request-id']);
  const [line] = await until(
    () =>
      service
        .stdout()
        .split('\n')
        .filter((one) => one.includes(`"request_id":"${requestId}"`)),
    (lines) => lines.length > 0,
  );
  return JSON.parse(line ?? '{}') as { client: string };
}

for (const { name, file, basePath, start } of proxies) {
  describe(`behind ${name}`, () => {
    let port = 0;
    let service: Serving;
    let authorized: { authorization: string };
    const path = `${basePath}/api/v1/email-verification`;
    before(async () => {
      const running = services.get(basePath);
      if (running === undefined) throw new Error(`no service under ${basePath}`);
      ({ service } = running);
      authorized = { authorization: `Bearer ${running.liveKey}` };
      port = await freePort();
      const { program, args, env } = start(file, port, new URL(service.url).host);
      started.push(startProgram(program, args, { env, cwd: folder }));
      await until(() =>
        call({ port, path }).then(
          () => true,
          () => false,
        ),
      );
    });
    after(() => started.pop()?.stop());

    const body = JSON.stringify({ email: 'alive@plain.test' });

    test('a verification over TLS is answered, and the client is whoever called the proxy', async () => {
      const answer = await ask({ port, path, body, headers: authorized });
      assert.equal(answer.status, 200, answer.text);
      assert.equal((JSON.parse(answer.text) as { status: string }).status, 'safe');
      assert.equal((await logged(service, answer)).client, '127.0.0.2');
    });

    test('what a client says of itself is not believed', async () => {
      for (const forged of [{ 'x-forwarded-for': '203.0.113.9' }, { forwarded: 'for=203.0.113.9' }]) {
        const answer = await ask({ port, path, body, headers: { ...authorized, ...forged } });
        assert.equal(answer.status, 200);
        assert.equal((await logged(service, answer)).client, '127.0.0.2', JSON.stringify(forged));
      }
    });

    test('an error of ours goes through as it is', async () => {
      const answer = await ask({ port, path, body });
      assert.deepEqual(
        [answer.status, JSON.parse(answer.text)],
        [401, { status: 'error', reason: 'invalid_api_key' }],
      );
    });

    test('the console loads its script, and a person who signs in gets a cookie for this service', async () => {
      const page = await ask({ port, path: `${basePath}/` });
      const [, script = ''] = /src="([^"]+)"/.exec(page.text) ?? [];
      assert.ok(script.startsWith(`${basePath}/assets/`), script);
      assert.equal((await ask({ port, path: script })).status, 200);
      const key = authorized.authorization.replace('Bearer ', '');
      const signedIn = await ask({ port, path: `${basePath}/session`, body: JSON.stringify({ key }) });
      assert.equal(signedIn.status, 200, signedIn.text);
      const cookie = String(signedIn.headers['set-cookie']);
      assert.ok(cookie.includes(`; Path=${basePath === '' ? '/' : basePath}; `), cookie);
      assert.match(cookie, /; Secure/);
    });

    test('the docs are led to where they are', async () => {
      const docs = await ask({ port, path: `${basePath}/docs` });
      assert.deepEqual([docs.status, docs.headers.location], [301, `${basePath}/docs/`]);
      assert.equal((await ask({ port, path: `${basePath}/docs/` })).status, 200);
    });
  });
}
