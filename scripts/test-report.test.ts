import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { describeSkips, statusWith, type Skip } from './test-report.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'mailproof-report-'));
after(() => rmSync(folder, { recursive: true }));

/** Runs test files with the reporter, as a machine without PostgreSQL does. */
function skipsOf(...files: string[]): Skip[] {
  const env = { ...process.env, MAILPROOF_TEST_WITHOUT_POSTGRES: 'PostgreSQL not found' };
  // The child would take itself for a part of this run.
  delete (env as NodeJS.ProcessEnv)['NODE_TEST_CONTEXT'];
  const reporter = `--test-reporter=${join(root, 'scripts/test-report.ts')}`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--test', reporter, ...files], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Skip);
}

describe('a run that lacks a program', () => {
  test('names each test that it skipped, with its suites and its file', () => {
    const file = join(folder, 'some.test.mjs');
    const lines = [
      `import { describe, it, test } from 'node:test';`,
      `describe('outer', () => { it('runs', () => {}); it('does not', { skip: 'Chromium not found' }); });`,
      `describe('whole suite', { skip: 'php-cli not found' }, () => { it('inside', () => {}); });`,
      `test('for no reason', { skip: true });`,
    ];
    writeFileSync(file, lines.join('\n'));
    assert.deepEqual(
      skipsOf(file).map(({ name, reason }) => [name, reason]),
      [
        ['outer › does not', 'Chromium not found'],
        ['whole suite', 'php-cli not found'],
        ['for no reason', 'skipped'],
      ],
    );
  });

  test('a suite over both databases runs on SQLite, and its other half is named', () => {
    const file = join(folder, 'both.test.ts');
    const databases = join(root, 'service/test/support/databases.ts');
    const lines = [
      `import { test } from 'node:test';`,
      `import { databases } from '${databases}';`,
      `const names: string[] = [];`,
      `for (const database of databases) names.push(database.name);`,
      `test('on SQLite', (t) => t.assert.deepEqual(names, ['SQLite']));`,
    ];
    writeFileSync(file, lines.join('\n'));
    const [skip, ...more] = skipsOf(file);
    assert.deepEqual([skip?.name, skip?.reason, more.length], ['on PostgreSQL', 'PostgreSQL not found', 0]);
    assert.ok(skip?.file.endsWith('both.test.ts'), skip?.file);
  });

  test('its last lines count and name them by program and file', () => {
    const reason = 'PostgreSQL not found';
    const skips = [
      { file: 'b.test.ts', name: 'one', reason },
      { file: 'a.test.ts', name: 'two', reason },
      { file: 'b.test.ts', name: 'three', reason },
      { file: 'c.test.ts', name: 'four', reason: 'Chromium not found' },
    ];
    assert.deepEqual(describeSkips(skips), [
      '  PostgreSQL not found: 3 suites and tests of 2 files did not run',
      '    a.test.ts: two',
      '    b.test.ts: one; three',
      '  Chromium not found: 1 suite or test of 1 file did not run',
      '    c.test.ts: four',
    ]);
  });

  test('passes if everything else passed, and fails with CI=true', () => {
    const skips = [{ file: 'a.test.ts', name: 'one', reason: 'Chromium not found' }];
    assert.equal(statusWith(skips, 0, {}), 0);
    assert.equal(statusWith(skips, 0, { CI: 'true' }), 1);
    assert.equal(statusWith([], 0, { CI: 'true' }), 0);
    assert.equal(statusWith(skips, 7, {}), 7);
  });
});
