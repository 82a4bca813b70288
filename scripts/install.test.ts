/**
 * ./mailproof and scripts/install.sh from a fresh clone, with an npm that only pretends: it takes down how
 * it was called and puts a Node where the real one would.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'mailproof install '));
after(() => rmSync(folder, { recursive: true }));

/** Says where it is and with what it was called, once it is ready to be ended, and then ends as it is told. */
const program = `process.exitCode = Number(process.env.END ?? 0);
if (process.env.WAIT) { process.on('SIGTERM', () => process.exit(43)); setInterval(() => {}, 1000); }
process.stdout.write(JSON.stringify({ cwd: process.cwd(), args: process.argv.slice(2) }));
`;

const npm = `#!/bin/sh
echo "$*" >> "$CALLS"
echo 'npm says something on stdout'
[ -z "\${NPM_FAILS:-}" ] || exit 1
case $1 in
  ci)
    rm -rf node_modules
    [ -z "\${NPM_SLOW:-}" ] || sleep 1
    pinned="node_modules/node-\${NODE_FOR:-$PLATFORM}/bin"
    mkdir -p "$pinned"
    ln -s "$NODE" "$pinned/node"
    echo '{}' > node_modules/.package-lock.json
    ;;
esac
`;

describe('a fresh clone', { concurrency: 4 }, () => {
  test('installs once, then runs at once, and keeps stdout to the command', async () => {
    const clone = freshClone();
    const first = await clone.mailproof(['a', 'b c', '--d']);
    assert.equal(first.code, 0);
    assert.deepEqual((JSON.parse(first.stdout) as { args: string[] }).args, ['a', 'b c', '--d']);
    assert.match(first.stderr, /^mailproof: Installing missing packages/);
    assert.deepEqual(clone.calls(), [
      'ci --ignore-scripts --include=dev --include=optional --no-audit --no-fund --loglevel=error',
    ]);
    const second = await clone.mailproof([]);
    assert.deepEqual([second.code, second.stderr, clone.calls().length], [0, '', 1]);
  });

  test('runs in the directory of the caller, also through symbolic links', async () => {
    const clone = freshClone();
    const elsewhere = mkdtempSync(join(folder, 'else where '));
    symlinkSync(join(clone.path, 'mailproof'), join(elsewhere, 'one'));
    symlinkSync('one', join(elsewhere, 'two'));
    const { code, stdout } = await clone.run(join(elsewhere, 'two'), ['x'], { cwd: elsewhere });
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), { cwd: elsewhere, args: ['x'] });
  });

  test('passes exit codes and signals through', async () => {
    const clone = freshClone();
    assert.equal((await clone.mailproof([], { END: '42' })).code, 42);
    const waiting = clone.start(join(clone.path, 'mailproof'), [], { env: { WAIT: '1' } });
    await new Promise((resolve) => waiting.child.stdout.once('data', resolve));
    waiting.child.kill('SIGTERM');
    assert.equal((await waiting.ended).code, 43);
  });

  test('installs again after package-lock.json changed, not after it was merely touched', async () => {
    const clone = freshClone();
    await clone.mailproof([]);
    const lock = join(clone.path, 'package-lock.json');
    const later = new Date(Date.now() + 60_000);
    utimesSync(lock, later, later);
    await clone.mailproof([]);
    assert.equal(clone.calls().length, 1);
    writeFileSync(lock, '{"changed": true}');
    utimesSync(lock, later, later);
    await clone.mailproof([]);
    assert.equal(clone.calls().length, 2);
  });

  test('installs once where several begin together', async () => {
    const clone = freshClone();
    const all = await Promise.all(Array.from({ length: 4 }, () => clone.mailproof([], { NPM_SLOW: '1' })));
    assert.deepEqual(
      all.map(({ code }) => code),
      [0, 0, 0, 0],
    );
    assert.equal(clone.calls().length, 1);
    assert.ok(all.some(({ stderr }) => /Waiting for another installation/.test(stderr)));
  });

  test('takes over from one that died in the middle', async () => {
    const clone = freshClone();
    const dead = clone.start('/bin/true', [], {});
    await dead.ended;
    mkdirSync(join(clone.path, '.cache'));
    symlinkSync(String(dead.child.pid), join(clone.path, '.cache/installing'));
    const all = await Promise.all([clone.mailproof([]), clone.mailproof([])]);
    assert.deepEqual(
      all.map(({ code }) => code),
      [0, 0],
    );
    assert.equal(clone.calls().length, 1);
    assert.ok(!existsSync(join(clone.path, '.cache/installing')));
  });

  test('says that npm failed, ends with 3, and tries again the next time', async () => {
    const clone = freshClone();
    const failed = await clone.mailproof([], { NPM_FAILS: '1' });
    assert.deepEqual([failed.code, failed.stdout], [3, '']);
    assert.match(failed.stderr, /mailproof: npm ci failed, see above/);
    assert.equal((await clone.mailproof([])).code, 0);
  });

  test('says which platforms there is a Node for', async () => {
    const clone = freshClone();
    const { code, stderr } = await clone.mailproof([], { NODE_FOR: 'sunos-sparc' });
    assert.equal(code, 3);
    assert.match(stderr, /npm installed no Node for \w+-\w+\. Mailproof needs Linux on x86-64 or arm64\./);
  });

  test('says what is missing where there is no node, an old one, or no npm', async () => {
    const clone = freshClone();
    const tools = (name: string, node: string | undefined) => {
      const bin = join(clone.path, name);
      mkdirSync(bin);
      for (const tool of ['sh', 'dirname', 'readlink', 'mkdir', 'rm', 'ln', 'cp', 'cmp', 'sleep', 'env'])
        symlinkSync(whereIs(tool), join(bin, tool));
      if (node !== undefined) executable(join(bin, 'node'), node);
      return { PATH: bin };
    };
    const none = await clone.mailproof([], tools('none', undefined));
    assert.deepEqual([none.code, none.stderr.split('.')[0]], [3, 'mailproof: Node was not found']);
    const old = await clone.mailproof([], tools('old', '#!/bin/sh\necho 18\n'));
    assert.equal(old.code, 3);
    assert.match(old.stderr, /This is Node 18\. Mailproof needs Node 20 or later/);
    const withoutNpm = await clone.mailproof([], tools('no-npm', '#!/bin/sh\necho 20\n'));
    assert.equal(withoutNpm.code, 3);
    assert.match(withoutNpm.stderr, /npm was not found/);
    assert.deepEqual(clone.calls(), []);
  });
});

test('every package has a hash in the lockfile, Node too, and none runs a script at installation', () => {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  type Locked = { version?: string; link?: true; integrity?: string; hasInstallScript?: true };
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
  const installed = Object.entries(packages).filter(([path]) => path.includes('node_modules/'));
  const unhashed = installed.filter(
    ([, { link, integrity = '' }]) => !link && !integrity.startsWith('sha512-'),
  );
  assert.deepEqual(unhashed, []);
  const nodes = ['x64', 'arm64'].map((cpu) => packages[`node_modules/node-linux-${cpu}`]?.version);
  assert.deepEqual(nodes, [process.versions.node, process.versions.node]);
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as object;
  assert.ok(!('allowScripts' in manifest), 'no package is allowed a script');
});

type Extra = { cwd?: string; env?: Record<string, string> };

/** A folder with what a clone has before anything was installed. */
function freshClone() {
  const path = mkdtempSync(join(folder, 'clone '));
  for (const file of ['mailproof', 'scripts/install.sh']) cpSync(join(root, file), join(path, file));
  writeFileSync(join(path, 'package-lock.json'), '{}');
  mkdirSync(join(path, 'cli/src'), { recursive: true });
  writeFileSync(join(path, 'cli/src/main.ts'), program);
  mkdirSync(join(path, 'fake'));
  executable(join(path, 'fake/npm'), npm);
  const callsFile = join(path, 'calls');

  function start(command: string, args: string[], { cwd, env }: Extra) {
    const child = spawn(command, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: `${join(path, 'fake')}:${process.env['PATH'] ?? ''}`,
        CALLS: callsFile,
        NODE: process.execPath,
        PLATFORM: `${process.platform}-${process.arch}`,
        ...env,
      },
    });
    const text = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (text.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (text.stderr += chunk.toString()));
    const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
      child.once('close', (code) => resolve({ code, ...text })),
    );
    return { child, ended };
  }

  const run = (command: string, args: string[], extra: Extra = {}) => start(command, args, extra).ended;
  return {
    path,
    start,
    run,
    mailproof: (args: string[], env: Record<string, string> = {}) =>
      run(join(path, 'mailproof'), args, { env }),
    calls: () => (existsSync(callsFile) ? readFileSync(callsFile, 'utf8').trimEnd().split('\n') : []),
  };
}

function executable(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

function whereIs(tool: string): string {
  const found = ['/bin', '/usr/bin'].map((place) => join(place, tool)).find((path) => existsSync(path));
  assert.ok(found !== undefined, `this machine has no ${tool}`);
  return found;
}
