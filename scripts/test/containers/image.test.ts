import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createClient, MailproofError } from '@mailproof/client';
import { storeFile } from '@mailproof/service';
import { settingTexts } from '@mailproof/service/config';
import { freePort, startWorld, type World } from '@mailproof/world';
import { root, startProgram, type Settings } from '../../../service/test/support/mailproof.ts';
import { ensureDebianPackages } from '../../debian-packages.ts';
import { packService } from '../../release/pack-service.ts';

/**
 * The image, built by the Dockerfile on a base of this machine's own programs, because no registry is asked. podman
 * runs it as the compose files do: not as root, without capabilities, the root file system read-only.
 */
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'mailproof-image-'));
const base = 'localhost/base';
const image = 'localhost/mailproof';
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');

before(() =>
  ensureDebianPackages([
    { name: 'podman', proof: '/usr/bin/podman' },
    { name: 'crun', proof: '/usr/bin/crun' },
    { name: 'python3-yaml', proof: '/usr/lib/python3/dist-packages/yaml/__init__.py' },
  ]),
);
after(() => rmSync(folder, { recursive: true, force: true }));

/**
 * crun does not start where both versions of control groups are mounted; in a mount namespace of its own it does not see
 * the second. No container of ours gets a control group.
 */
const inOwnMounts = ['-m', '--propagation', 'private', 'sh', '-c'];
const hideSecond = 'umount /sys/fs/cgroup/unified 2>/dev/null; exec "$@"';

function podman(...args: string[]): string[] {
  const storage = [
    `--root=${join(folder, 'root')}`,
    `--runroot=${join(folder, 'run')}`,
    '--storage-driver=vfs',
  ];
  return [...inOwnMounts, hideSecond, 'sh', 'podman', ...storage, '--cgroup-manager=cgroupfs', ...args];
}

/** The limits that need no right to raise them. */
const env: Settings = { CONTAINERS_CONF: join(folder, 'containers.conf') };
writeFileSync(
  join(folder, 'containers.conf'),
  '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n[engine]\nevents_logger = "none"\n',
);

const confined = ['--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--security-opt=no-new-privileges'];
const here = ['--rm', '--cgroups=disabled', '--network=host', '--no-healthcheck'];

function settingArgs(settings: Settings): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
}

/** Runs Node in a container of the image, confined like the service. */
async function nodeInside(
  script: string,
  settings: Settings = {},
): Promise<{ code: number | null; stdout: string }> {
  const args = [...here, ...confined, ...settingArgs(settings), '--entrypoint=node', image, '-e', script];
  return await startProgram('unshare', podman('run', ...args), { env }).ended;
}

function makeBase(): void {
  const place = join(folder, 'base');
  for (const name of ['usr/bin', 'etc', 'tmp', 'dev', 'proc', 'sys', 'run'])
    mkdirSync(join(place, name), { recursive: true });
  symlinkSync('usr/bin', join(place, 'bin'));
  const find = (name: string) =>
    execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
  const programs = ['sh', 'readlink', 'dirname', 'mkdir', 'tar', 'gzip'].map(
    (name) => [name, find(name)] as const,
  );
  for (const [name, path] of [...programs, ['node', process.execPath] as const]) {
    const libraries = execFileSync('ldd', [path], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
    copyProgram(path, join(place, 'usr/bin', name));
    for (const library of libraries) copyProgram(library, join(place, library));
  }
  execFileSync('tar', ['-C', place, '-cf', join(folder, 'base.tar'), '.']);
}

function copyProgram(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(realpathSync(from), to);
}

describe('the image', () => {
  let world: World;
  before(async () => {
    const context = join(folder, 'context');
    await packService(join(context, 'artifacts/release'));
    for (const name of ['Dockerfile', '.dockerignore']) cpSync(join(root, name), join(context, name));
    makeBase();
    await run('unshare', podman('import', join(folder, 'base.tar'), base), {
      env: { ...process.env, ...env },
    });
    const build = [
      '--isolation=chroot',
      '--layers=false',
      '--format=docker',
      `--build-arg=BASE=${base}`,
      `--tag=${image}`,
    ];
    await run('unshare', podman('build', ...build, context), { env: { ...process.env, ...env } });
    world = await startWorld({
      zones: { 'plain.test': { mx: [[10, 'mx.plain.test']] } },
      hosts: { 'mx.plain.test': { mailboxes: { alive: 'exists' } } },
    });
  });
  after(() => world.stop());

  test('gives its process no rights: not root, no capability, nothing to write but its data', async () => {
    const { stdout } = await nodeInside(`
      const { readFileSync, writeFileSync } = require('node:fs');
      const attempt = (path) => { try { writeFileSync(path, ''); return 'written'; } catch (error) { return error.code; } };
      const capabilities = /CapBnd:\\s*(\\w+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1];
      console.log(JSON.stringify([process.getuid(), capabilities, attempt('/opt/mailproof/x'), attempt('/data/x')]));`);
    assert.deepEqual(JSON.parse(stdout), [10_001, '0'.repeat(16), 'EROFS', 'written']);
  });

  test('serves the contract, hides its keys from the log, is judged by its health check, and drains', async () => {
    const port = String(await freePort());
    const data = join(folder, 'data');
    mkdirSync(data, { mode: 0o777 });
    execFileSync('chown', ['10001:10001', data]);
    const settings = { ...world.environment, MAILPROOF_HOST: '127.0.0.1', MAILPROOF_PORT: port };
    const args = [...here, ...confined, `--volume=${data}:/data`, ...settingArgs(settings), image];
    const health = healthCheck();
    assert.equal((await nodeInside(health, { MAILPROOF_PORT: port })).code, 1);
    const service = startProgram('unshare', podman('run', ...args), { env });
    const [, url = ''] = await service.wrote(/"url":"(http:[^"]*)".*"listening"/);
    assert.equal((await nodeInside(health, { MAILPROOF_PORT: port })).code, 0);

    const keys = readFileSync(join(data, 'first-keys.txt'), 'utf8');
    assert.doesNotMatch(service.stdout(), /mp_(?:live|test)_/);
    const [apiKey = ''] = /mp_live_\w+/.exec(keys) ?? [];
    await callEverything(url, apiKey);

    assert.equal(await service.stop(), 0);
    assert.match(service.stdout(), /"msg":"stopped"/);
    assert.ok(existsSync(storeFile(data)), 'its data is left');
  });
});

/** The three endpoints, and what they refuse. */
async function callEverything(url: string, apiKey: string): Promise<void> {
  const client = createClient({ baseUrl: url, apiKey });
  assert.equal((await client.verify('alive@plain.test')).status, 'safe');
  assert.equal((await client.verify('gone@plain.test')).status, 'invalid');
  const statuses: string[] = [];
  for await (const answer of client.verifyMany(['alive@plain.test', 'gone@plain.test', 'x@nowhere.test']))
    statuses.push(answer.kind === 'verified' ? answer.result.status : answer.kind);
  assert.deepEqual(statuses.sort(), ['invalid', 'invalid', 'safe']);
  const nobody = createClient({ baseUrl: url, apiKey: 'mp_live_wrong' });
  await assert.rejects(
    () => nobody.verify('alive@plain.test'),
    (error) => error instanceof MailproofError && error.reason === 'invalid_api_key',
  );
  assert.equal((await fetch(`${url}/api/v1/email-verification`)).status, 405);
  assert.match(await (await fetch(url, { headers: { accept: 'text/html' } })).text(), /<div id="app">/);
}

/** The script of the check, as the Dockerfile has it. */
function healthCheck(): string {
  const [, command = '[]'] = /^HEALTHCHECK [^[]*CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const [program, option, script = ''] = JSON.parse(command) as string[];
  assert.deepEqual([program, option], ['node', '-e']);
  return script;
}

type Composed = { services: Record<string, ComposedService> };
type ComposedService = {
  image: string;
  build?: string;
  command?: string[];
  environment: Record<string, string>;
  volumes: string[];
  read_only?: boolean;
  cap_drop?: string[];
};

function readCompose(name: string): Composed {
  const program = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))';
  const file = join(root, 'ops/compose', name);
  return JSON.parse(
    execFileSync('/usr/bin/python3', ['-c', program, file], { encoding: 'utf8' }),
  ) as Composed;
}

describe('the compose files', () => {
  const names = ['single.yaml', 'postgres.yaml'];

  test('name images of others by digest, as the Dockerfile does', () => {
    assert.match(dockerfile, /^ARG BASE=\S+@sha256:[0-9a-f]{64}$/m);
    assert.deepEqual(dockerfile.match(/^FROM .*$/gm), ['FROM ${BASE} AS unpacked', 'FROM ${BASE}']);
    for (const { services } of names.map(readCompose))
      for (const service of Object.values(services))
        if (service.build === undefined) assert.match(service.image, /@sha256:[0-9a-f]{64}$/);
  });

  test('confine every process of ours, and set only settings that there are', () => {
    const settings = settingTexts().flatMap((setting) => setting.names);
    for (const { services } of names.map(readCompose)) {
      const ours = Object.values(services).filter((service) => service.build !== undefined);
      assert.ok(ours.length > 0);
      for (const service of ours) {
        assert.deepEqual([service.read_only, service.cap_drop], [true, ['ALL']]);
        for (const name of Object.keys(service.environment)) assert.ok(settings.includes(name), name);
      }
    }
  });

  test('mount files that there are, and run every role', () => {
    for (const name of names)
      for (const service of Object.values(readCompose(name).services))
        for (const [source = ''] of service.volumes.map((volume) => volume.split(':')))
          assert.ok(!source.startsWith('.') || existsSync(join(root, 'ops/compose', source)), source);
    const commands = Object.values(readCompose('postgres.yaml').services).map(({ command }) =>
      command?.at(-1),
    );
    assert.deepEqual(
      commands.filter((role) => role !== undefined),
      ['api', 'worker', 'prober'],
    );
  });
});
