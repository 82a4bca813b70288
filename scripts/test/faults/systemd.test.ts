import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createClient } from '@mailproof/client';
import { startWorld, type World } from '@mailproof/world';
import { readConfig } from '@mailproof/service/config';
import {
  root,
  startMailproof,
  startProgram,
  type Settings,
  type Started,
} from '../../../service/test/support/mailproof.ts';
import { until } from '../../../service/test/support/until.ts';
import { ensureDebianPackages } from '../../debian-packages.ts';

/**
 * The units for systemd, and what the service tells it. systemd itself cannot be the first process here.
 * `systemd-analyze` reads the units in its place, and a socket of its kind hears the notifications.
 */
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'mailproof-systemd-'));
const unitFolder = join(root, 'ops/systemd');
const units = readdirSync(unitFolder).filter((file) => file.endsWith('.service'));
let world: World;
/** Killed at the end, so that a test that fails leaves nothing running. */
const started: Started[] = [];

before(async () => {
  await ensureDebianPackages([
    { name: 'systemd', proof: '/usr/bin/systemd-analyze' },
    { name: 'python3', proof: '/usr/bin/python3' },
    { name: 'strace', proof: '/usr/bin/strace' },
  ]);
  world = await startWorld({
    zones: { 'plain.test': { mx: [[10, 'mx.plain.test']] } },
    hosts: { 'mx.plain.test': { mailboxes: { alive: 'exists' } } },
  });
});
after(async () => {
  for (const { child } of started) child.kill('SIGKILL');
  await world.stop();
  rmSync(folder, { recursive: true });
});

describe('the units', () => {
  for (const unit of units) {
    test(`${unit} is one that systemd understands`, async () => {
      // The program is not installed here, which is the one thing to be said about it.
      const copy = join(folder, unit);
      writeFileSync(copy, readUnit(unit).replace(/^ExecStart=mailproof/m, 'ExecStart=/bin/true'));
      const { stderr } = await run('systemd-analyze', ['verify', '--man=no', copy]);
      assert.equal(stderr, '');
    });

    test(`${unit} exposes less than 2.0 by systemd's own judgement`, async () => {
      const args = ['security', '--offline=yes', '--no-pager', '--threshold=20', join(unitFolder, unit)];
      const { stdout } = await run('systemd-analyze', args);
      const [, level = ''] = /Overall exposure level for \S+: (\d+\.\d+)/.exec(stdout) ?? [];
      assert.ok(Number(level) > 0 && Number(level) < 2, `${level} of ${unit}`);
    });
  }

  test('all are closed in the same way', () => {
    const closed = (unit: string) => readUnit(unit).slice(readUnit(unit).indexOf('# It reads the system'));
    for (const unit of units) assert.equal(closed(unit), closed('mailproof.service'), unit);
  });

  test('the example of settings is one that the service takes', () => {
    const read = readConfig({ MAILPROOF_CONFIG: join(unitFolder, 'mailproof.conf') });
    assert.deepEqual(read.kind === 'ok' ? read.warnings : read.problem, []);
  });
});

function watched(program: Started): Started {
  started.push(program);
  return program;
}

function readUnit(unit: string): string {
  return readFileSync(join(unitFolder, basename(unit)), 'utf8');
}

/** A socket as systemd has it: takes datagrams, and prints each message as a line of JSON. */
const listener = `
import json, socket, sys
heard = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
heard.bind(sys.argv[1])
print(json.dumps('listening'), flush=True)
while True: print(json.dumps(heard.recv(4096).decode()), flush=True)
`;

async function listen(
  name: string,
): Promise<{ socket: string; heard: () => string[]; close: Started['kill'] }> {
  const socket = join(folder, `${name}.socket`);
  const python = watched(startProgram('/usr/bin/python3', ['-c', listener, socket]));
  await python.wrote(/"listening"\n/);
  const heard = () =>
    python
      .stdout()
      .split('\n')
      .slice(1, -1)
      .map((line) => JSON.parse(line) as string);
  return { socket, heard, close: python.kill };
}

function serveSettings(name: string): Settings {
  return { ...world.environment, MAILPROOF_PORT: '0', MAILPROOF_DATA_DIR: join(folder, name) };
}

describe('the service tells systemd', () => {
  test('that it is ready once it serves, that it lives, and that it stops', async () => {
    const manager = await listen('all');
    const env = { ...serveSettings('all'), NOTIFY_SOCKET: manager.socket, WATCHDOG_USEC: '1000000' };
    const service = watched(startMailproof(['serve'], { env }));
    await until(() => manager.heard().some((message) => message.startsWith('READY=1\n')));
    const [, url = ''] = await service.wrote(/"url":"(http:[^"]*)".*"listening"/);
    assert.equal(manager.heard()[0], `READY=1\nSTATUS=listening on ${url}`);
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    const beats = () => manager.heard().filter((message) => message === 'WATCHDOG=1').length;
    await until(() => beats() >= 3);
    assert.ok(!manager.heard().some((message) => message.startsWith('STOPPING=1')));
    assert.equal(await service.stop(), 0);
    assert.ok(manager.heard().some((message) => message.startsWith('STOPPING=1\nSTATUS=draining')));
    assert.equal((await service.ended).stderr, '');
    await manager.close();
  });

  test('nothing of a watchdog that watches another process', async () => {
    const manager = await listen('other');
    const watchdog = { WATCHDOG_USEC: '20000', WATCHDOG_PID: '1' };
    const env = { ...serveSettings('other'), NOTIFY_SOCKET: manager.socket, ...watchdog };
    const service = watched(startMailproof(['serve', '--role', 'worker'], { env }));
    await until(() => manager.heard().length > 0);
    assert.equal(await service.stop(), 0);
    const names = manager.heard().map((message) => message.split('\n')[0]);
    assert.deepEqual(
      [...new Set(names)].filter((name) => name !== 'BARRIER=1'),
      ['READY=1', 'STOPPING=1'],
    );
    await manager.close();
  });

  test('and serves all the same where nobody hears it, after one line about it', async () => {
    const env = { ...serveSettings('deaf'), NOTIFY_SOCKET: join(folder, 'nobody'), WATCHDOG_USEC: '20000' };
    const service = watched(startMailproof(['serve'], { env }));
    await until(() => service.stderr() !== '');
    await service.wrote(/"listening"/);
    assert.equal(await service.stop(), 0);
    const { stderr } = await service.ended;
    assert.match(
      stderr,
      /^mailproof: the service manager could not be told \(.*\)\. It is not told anything more\.\n$/,
    );
  });
});

test('a service that starts, verifies and stops makes no system call that its unit forbids', async () => {
  const trace = join(folder, 'calls');
  const strace = ['-f', '-qq', '-c', '-S', 'name', '-U', 'name', '-o', trace];
  const main = [process.execPath, '--max-semi-space-size=16', join(root, 'cli/src/main.ts'), 'serve'];
  const env = serveSettings('traced');
  const service = watched(startProgram('/usr/bin/strace', [...strace, ...main], { env }));
  const [, url = ''] = await service.wrote(/"url":"(http:[^"]*)".*"listening"/);
  const [apiKey = ''] = /mp_live_\w+/.exec(service.stdout()) ?? [];
  assert.equal((await createClient({ baseUrl: url, apiKey }).verify('alive@plain.test')).status, 'safe');
  const tracer = String(service.child.pid);
  const traced = readFileSync(`/proc/${tracer}/task/${tracer}/children`, 'utf8').trim();
  process.kill(Number(traced), 'SIGTERM');
  assert.equal((await service.ended).code, 0);
  const made = readFileSync(trace, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((name) => /^[a-z]\w*$/.test(name));
  assert.ok(made.length > 30, made.join(' '));
  const allowed = await allowedCalls();
  // If SQLite runs as root, it hands its files to the owner of the database. Under the unit it does not.
  const ofRoot = process.getuid?.() === 0 ? ['fchown'] : [];
  const known = new Set(['syscall', 'total', ...ofRoot, ...allowed]);
  assert.deepEqual(
    made.filter((name) => !known.has(name)),
    [],
  );
});

/** The system calls that the units allow: the first line names them, the second takes some away. */
async function allowedCalls(): Promise<Set<string>> {
  const filters = [...readUnit('mailproof.service').matchAll(/^SystemCallFilter=(~?)(.*)$/gm)];
  assert.deepEqual(
    filters.map(([, sign]) => sign),
    ['', '~'],
  );
  const [[, , first = ''] = [], [, , second = ''] = []] = filters;
  const allowed = new Set<string>();
  for (const name of first.split(' ')) for (const call of await callsOf(name)) allowed.add(call);
  for (const name of second.split(' ')) for (const call of await callsOf(name)) allowed.delete(call);
  return allowed;
}

async function callsOf(set: string): Promise<string[]> {
  const { stdout } = await run('systemd-analyze', ['syscall-filter', '--no-pager', set]);
  const names = stdout.split('\n').flatMap((line) => /^ {4}(@?\w[\w-]*)$/.exec(line)?.slice(1) ?? []);
  const calls: string[] = [];
  for (const name of names) calls.push(...(name.startsWith('@') ? await callsOf(name) : [name]));
  return calls;
}
