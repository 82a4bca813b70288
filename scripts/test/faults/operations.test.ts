import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { freePort, startWorld, type World } from '@mailproof/world';
import { createApiClient } from '../../../service/test/support/api-client.ts';
import {
  root,
  startProgram,
  type Ended,
  type Settings,
  type Started,
} from '../../../service/test/support/mailproof.ts';
import { createPostgresDatabase } from '../../../service/test/support/postgres/test-postgres.ts';
import { ensureDebianPackages } from '../../debian-packages.ts';
import { guideBlock, guideBlocks, runAsTheyAre, runWithNotes } from '../support/operations-guide.ts';

/** An operator who follows docs/operations.md from its first line to its last, in a directory of his own. */
const folder = mkdtempSync(join(tmpdir(), 'mailproof-guide-'));
const programs = join(folder, 'programs');
const noting = join(folder, 'noting');
const notes = join(folder, 'notes');
const running: Started[] = [];
let world: World;
let server: Awaited<ReturnType<typeof createPostgresDatabase>>;
let ports: { api: number; metrics: number };
/** The operator's notes on the way, and the settings in force. */
const known: Settings = {};

before(async () => {
  await ensureDebianPackages([
    { name: 'curl', proof: '/usr/bin/curl' },
    { name: 'openssl', proof: '/usr/bin/openssl' },
    { name: 'prometheus', proof: '/usr/bin/promtool' },
    { name: 'postgresql-client', proof: '/usr/bin/psql' },
  ]);
  world = await startWorld({
    zones: {
      'example.com': { mx: [[10, 'mx.example.com']] },
      'probe.test': { a: ['127.0.0.1'], mx: [[10, 'mx.probe.test']], txt: ['v=spf1 a -all'] },
    },
    hosts: {
      'mx.example.com': { mailboxes: { ada: 'exists' } },
      'mx.probe.test': { mailboxes: { verify: 'exists' } },
    },
  });
  server = await createPostgresDatabase('empty');
  ports = { api: await freePort(), metrics: await freePort() };
  Object.assign(known, world.environment, {
    MAILPROOF_PORT: String(ports.api),
    MAILPROOF_METRICS_PORT: String(ports.metrics),
    SERVER_URL: server.url,
  });
  mkdirSync(programs);
  mkdirSync(noting);
  writeProgram(
    join(programs, 'mailproof'),
    `exec "${process.execPath}" --disable-warning=ExperimentalWarning "${root}/cli/src/main.ts" "$@"`,
  );
  for (const name of ['systemctl', 'systemd-run', 'docker', 'nginx', 'journalctl', 'npm', 'mailproof'])
    writeProgram(join(noting, name), `echo "${name} $*" >> "${notes}"`);
  symlinkSync(join(root, 'ops'), join(folder, 'ops'));
});
after(async () => {
  for (const program of running) await program.kill();
  await world.stop();
  await server.giveBack();
  rmSync(folder, { recursive: true, force: true });
});

function writeProgram(file: string, line: string): void {
  writeFileSync(file, `#!/bin/sh\n${line}\n`);
  chmodSync(file, 0o755);
}

function start(code: string, path = [programs]): Started {
  const PATH = [...path, dirname(process.execPath), process.env['PATH']].join(':');
  return startProgram('sh', ['-eu', '-c', code], { cwd: folder, env: { ...known, PATH } });
}

async function run(code: string, input = ''): Promise<Ended> {
  const here = code
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${ports.api}`)
    .replaceAll('127.0.0.1:9464', `127.0.0.1:${ports.metrics}`);
  for (let tries = 1; ; tries += 1) {
    const started = start(here);
    started.child.stdin.end(input);
    const ended = await started.ended;
    // The service is busy, which is the machine's fault: curl is asked again.
    const isBusy = /curl: .* 503/.test(ended.stderr);
    if (!isBusy || tries === triesOnABusyMachine) return ended;
  }
}

const triesOnABusyMachine = 20;

/** A process that goes on until the guide has it stopped. */
async function serve(line: string): Promise<Started> {
  const serving = start(`exec env ${line}`);
  running.push(serving);
  await serving.wrote(/"msg":"listening"|"msg":"working"/);
  return serving;
}

async function stopAll(): Promise<void> {
  for (const serving of running.splice(0)) assert.equal(await serving.stop(), 0);
}

/** Steps around a block that needs more than being run. */
const around: Record<string, (code: string) => Promise<void>> = {
  'setup.sh': async (code) => {
    const dns = world.environment['MAILPROOF_DNS_SERVERS'] ?? '';
    const answers = [dns, 'probe.test', 'verify@probe.test', 'data', 'sqlite', 'new', 'all', 'no'];
    const { code: status, stderr } = await run(code, answers.map((answer) => `${answer}\n`).join(''));
    assert.equal(status, 0, stderr);
    const settings = readFileSync(join(folder, 'mailproof.conf'), 'utf8');
    known['MAILPROOF_ADMIN_TOKEN'] = /^MAILPROOF_ADMIN_TOKEN=(.+)$/m.exec(settings)?.[1] ?? '';
    assert.equal(known['MAILPROOF_ADMIN_TOKEN'].length, 64);
  },
  'serve.sh': async (code) => {
    const { stdout } = await serve(code.trim());
    known['API_KEY'] = /mp_live_\w+/.exec(stdout())?.[0] ?? '';
    const listed = await run('MAILPROOF_CONFIG=mailproof.conf mailproof accounts list --json');
    known['ACCOUNT'] = (JSON.parse(listed.stdout) as { account_id: string }).account_id;
  },
  'first-request.sh': async (code) => {
    const { code: status, stdout, stderr } = await run(code);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /"status":"safe"/);
  },
  // It finds what keeps this machine from asking the real internet, and says so.
  'doctor.sh': async (code) => {
    const { code: status, stdout, stderr } = await run(code);
    assert.ok(status === 0 || status === 1, stderr);
    assert.match(stdout, /HELO name/);
  },
  'create-database.sh': async (code) => {
    const name = `mailproof_test_guide_${process.pid}`;
    const { code: status, stderr } = await run(
      code.replace('create database mailproof ', `create database ${name} `),
    );
    assert.equal(status, 0, stderr);
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    known['DATABASE_URL'] = url.href;
  },
  'copy.sh': async (code) => {
    await stopAll();
    const { code: status, stderr } = await run(code);
    assert.equal(status, 0, stderr);
    known['MAILPROOF_DATABASE_URL'] = known['DATABASE_URL'] ?? '';
  },
  'roles.sh': async (code) => {
    const lines = code.trim().split('\n');
    assert.equal(lines.length, 3);
    for (const [index, line] of lines.entries()) {
      await serve(index === 0 ? line : `MAILPROOF_METRICS_PORT=${await freePort()} ${line}`);
    }
  },
  'probers.sh': async (code) => {
    const { code: status, stdout, stderr } = await run(code);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^\S+ {2}office {2}invited/m);
    assert.match(stdout, /^egress address default {2}well {2}process /m);
  },
  'erase.sh': async (code) => {
    const client = createApiClient(`http://127.0.0.1:${ports.api}`);
    const key = known['API_KEY'] ?? '';
    const headers = { 'content-type': 'text/csv' };
    const body = Buffer.from('email\nada@example.com\n');
    const created = await client.ask({ path: '/api/v1/lists?name=May', key, headers, body });
    known['LIST'] = String(created.body['list_id']);
    const { code: status, stderr } = await run(code);
    assert.equal(status, 0, stderr);
    assert.equal(
      (await client.ask({ method: 'GET', path: `/api/v1/lists/${known['LIST']}`, key })).status,
      404,
    );
    client.close();
  },
  'unfreeze.sh': async (code) => {
    await run(`psql "$DATABASE_URL" --command "update account set frozen_at = 1 where id = '$ACCOUNT'"`);
    const { code: status, stdout, stderr } = await run(`${code.trim()} --json`);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /"was_frozen":true/);
  },
};

/** The block with programs that only note how they were called, in a system that is a folder. */
async function runNoting(name: string): Promise<string[]> {
  rmSync(notes, { force: true });
  const system = join(folder, 'system');
  for (const place of ['etc/systemd/system', 'etc/nginx/conf.d'])
    mkdirSync(join(system, place), { recursive: true });
  known['REQUEST_ID'] = 'REQUEST';
  const code = guideBlock(name)
    .replaceAll('/etc/', `${system}/etc/`)
    // The second half is asked of the service itself, below.
    .replace(/^curl [\s\S]*/m, '');
  const { code: status, stderr } = await start(code, [noting]).ended;
  assert.equal(status, 0, stderr);
  return readFileSync(notes, 'utf8').trimEnd().split('\n');
}

describe('docs/operations.md', () => {
  for (const name of guideBlocks.keys()) {
    const noted = runWithNotes[name];
    if (noted !== undefined)
      test(`${name} calls what it says`, async () => assert.deepEqual(await runNoting(name), noted.calls));
    else if (runAsTheyAre.includes(name))
      test(`${name} works`, async () => {
        const code = guideBlock(name);
        const special = around[name];
        if (special !== undefined) return special(code);
        const { code: status, stdout, stderr } = await run(code);
        assert.equal(status, 0, stdout + stderr);
      });
  }

  test('what it copies into the system is there, the settings for root alone', () => {
    const etc = join(folder, 'system/etc');
    for (const file of ['systemd/system/mailproof.service', 'nginx/conf.d/mailproof.conf'])
      assert.ok(existsSync(join(etc, file)), file);
    assert.equal(statSync(join(etc, 'mailproof/mailproof.conf')).mode & 0o777, 0o600);
  });

  test('request.sh finds what became of a request', async () => {
    const client = createApiClient(`http://127.0.0.1:${ports.api}`);
    const { requestId } = await client.verify(known['API_KEY'] ?? '', 'ada@example.com');
    client.close();
    known['REQUEST_ID'] = requestId;
    const { code, stdout, stderr } = await run(
      /^curl [\s\S]*/m.exec(guideBlock('request.sh'))?.[0] ?? 'false',
    );
    assert.equal(code, 0, stderr);
    assert.ok(stdout.includes(requestId), stdout);
  });
});
