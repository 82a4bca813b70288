import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { startWorld, type World } from '@mailproof/world';
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
import { freePort } from '../../../service/test/support/free-port.ts';

/** The examples of proxies in `ops/`, each started as it is but for addresses, and asked by a client elsewhere. */
const folder = mkdtempSync(join(tmpdir(), 'mailproof-proxies-'));
const started: Started[] = [];
let world: World;
let service: Serving;
let liveKey = '';

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
  const settings = { MAILPROOF_DATA_DIR: join(folder, 'data'), MAILPROOF_TRUSTED_PROXIES: '127.0.0.1' };
  service = await serveMailproof({ env: { ...world.environment, ...settings } });
  [liveKey = ''] = /mp_live_\w+/.exec(service.stdout()) ?? [];
});
after(async () => {
  for (const proxy of started) await proxy.stop();
  await service.kill();
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Proxy = {
  name: string;
  start: (port: number, upstream: string) => { program: string; args: string[]; env: Settings };
};

const proxies: Proxy[] = [
  { name: 'nginx', start: nginx },
  { name: 'Caddy', start: caddy },
];

/** Replaces what is there exactly once, so that the example cannot change unseen. */
function replaceOne(source: string, from: string, to: string): string {
  assert.equal(source.split(from).length, 2, from);
  return source.replace(from, to);
}

function nginx(port: number, upstream: string) {
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
  let site = readFileSync(join(root, 'ops/nginx/mailproof.conf'), 'utf8');
  site = replaceOne(site, 'listen 443 ssl', `listen 127.0.0.1:${port} ssl`);
  site = replaceOne(site, 'server 127.0.0.1:8080', `server ${upstream}`);
  site = replaceOne(site, '/etc/ssl/verify.example.com.pem', certificate);
  site = replaceOne(site, '/etc/ssl/private/verify.example.com.key', key);
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

function caddy(port: number, upstream: string) {
  const site = join(root, 'ops/caddy/Caddyfile');
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

type Call = { port: number; body?: string; headers?: Record<string, string> };

/** From another address than the proxy's own, so that it can be told who called. */
function call({
  port,
  body,
  headers = {},
}: Call): Promise<{ status: number; text: string; requestId: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{
          host: '127.0.0.1',
          port,
          localAddress: '127.0.0.2',
          path: '/api/v1/email-verification',
          method: 'POST',
        },
        ...{ servername: 'verify.localhost', rejectUnauthorized: false },
        headers: { host: 'verify.localhost', 'content-type': 'application/json', ...headers },
      },
      (answer) => {
        const requestId = String(answer.headers['x-request-id']);
        text(answer).then((all) => resolve({ status: answer.statusCode ?? 0, text: all, requestId }), reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The line of the log that belongs to a request. */
async function logged(requestId: string): Promise<{ client: string }> {
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

for (const { name, start } of proxies) {
  describe(`behind ${name}`, () => {
    let port = 0;
    before(async () => {
      port = await freePort();
      const { program, args, env } = start(port, new URL(service.url).host);
      started.push(startProgram(program, args, { env, cwd: folder }));
      await until(() =>
        call({ port }).then(
          () => true,
          () => false,
        ),
      );
    });

    const authorized = () => ({ authorization: `Bearer ${liveKey}` });
    const body = JSON.stringify({ email: 'alive@plain.test' });

    test('a verification over TLS is answered, and the client is whoever called the proxy', async () => {
      const answer = await call({ port, body, headers: authorized() });
      assert.equal(answer.status, 200, answer.text);
      assert.equal((JSON.parse(answer.text) as { status: string }).status, 'safe');
      assert.equal((await logged(answer.requestId)).client, '127.0.0.2');
    });

    test('what a client says of itself is not believed', async () => {
      for (const forged of [{ 'x-forwarded-for': '203.0.113.9' }, { forwarded: 'for=203.0.113.9' }]) {
        const answer = await call({ port, body, headers: { ...authorized(), ...forged } });
        assert.equal(answer.status, 200);
        assert.equal((await logged(answer.requestId)).client, '127.0.0.2', JSON.stringify(forged));
      }
    });

    test('an error of ours goes through as it is', async () => {
      const answer = await call({ port, body });
      assert.deepEqual(
        [answer.status, JSON.parse(answer.text)],
        [401, { status: 'error', reason: 'invalid_api_key' }],
      );
    });
  });
}
