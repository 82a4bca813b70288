import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { makeRelease } from './make-release.ts';

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A repository of its own with one commit. */
function openRepository(changelog: string) {
  const root = mkdtempSync(join(tmpdir(), 'mailproof-repository-'));
  folders.push(root);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  const commit = (text: string) => {
    writeFileSync(join(root, 'CHANGELOG.md'), text);
    git('add', '.');
    git('commit', '--quiet', '--message', 'changelog');
  };
  git('init', '--quiet');
  for (const [name, value] of Object.entries({ 'user.name': 'Ada', 'user.email': 'ada@example.com' }))
    git('config', name, value);
  writeFileSync(join(root, 'package.json'), '{"version":"1.2.0"}\n');
  commit(changelog);
  let written = 0;
  const release = (isDry = false) =>
    makeRelease({ root, kept: [], isDry, write: () => Promise.resolve([`package-${++written}.tgz`]) });
  return { git, commit, release, written: () => written };
}

const changelog = '# Changelog\n\n## 1.2.0 (2026-11-18)\n\n### Added\n\n- A new thing.\n';

test('without its section in the changelog a release writes nothing and sets no tag', async () => {
  const { git, release, written } = openRepository(changelog.replace('1.2.0', '1.1.0'));
  const refused = await release();
  assert.equal(refused.kind, 'refused');
  assert.match(refused.why, /no section "## 1\.2\.0"/);
  assert.deepEqual([written(), git('tag')], [0, '']);
});

test('with it the commit is tagged with the version, and the tag carries the section', async () => {
  const { git, release } = openRepository(changelog);
  const made = await release();
  assert.equal(made.kind, 'made');
  assert.deepEqual([made.tag, made.files], ['v1.2.0', ['package-1.tgz']]);
  assert.equal(git('rev-parse', 'v1.2.0^{commit}'), git('rev-parse', 'HEAD'));
  assert.equal(
    git('tag', '--list', '--format=%(contents)').trim(),
    'Mailproof 1.2.0\n\n### Added\n\n- A new thing.',
  );
});

test('a dry run writes the packages and sets no tag', async () => {
  const { git, release, written } = openRepository(changelog);
  assert.equal((await release(true)).kind, 'made');
  assert.deepEqual([written(), git('tag')], [1, '']);
});

test('the same commit can be released again; a later one needs another version', async () => {
  const { git, commit, release } = openRepository(changelog);
  await release();
  const tag = git('rev-parse', 'v1.2.0');
  assert.equal((await release()).kind, 'made');
  commit(`${changelog}- Another.\n`);
  const refused = await release();
  assert.equal(refused.kind, 'refused');
  assert.match(refused.why, /set the next version/);
  assert.equal(git('rev-parse', 'v1.2.0'), tag);
});

test('a tree with changes is refused', async () => {
  const { release, git } = openRepository(changelog);
  writeFileSync(join(git('rev-parse', '--show-toplevel').trim(), 'left.txt'), 'x');
  const refused = await release();
  assert.equal(refused.kind, 'refused');
  assert.match(refused.why, /not clean \(left\.txt\)/);
});

test('every package of the repository has the same version, and asks for the others in it', () => {
  const root = join(import.meta.dirname, '../..');
  type Manifest = { version: string; workspaces?: string[] } & Record<string, Record<string, string>>;
  const read = (folder: string) =>
    JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
  const { version, workspaces = [] } = read('.');
  assert.ok(workspaces.length > 5);
  for (const folder of ['.', ...workspaces]) {
    const manifest = read(folder);
    assert.equal(manifest.version, version, folder);
    for (const kind of ['dependencies', 'devDependencies'])
      for (const [name, wanted] of Object.entries(manifest[kind] ?? {}))
        if (name.startsWith('@mailproof/')) assert.equal(wanted, version, `${folder}: ${name}`);
  }
});
