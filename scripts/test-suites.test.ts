import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { batchTests, listTests } from './test-suites.ts';

const root = join(import.meta.dirname, '..');

test('npm test, npm run test:faults and npm run test:image together run every test file, each once', () => {
  const pattern = ['--cached', '--others', '--exclude-standard', '*.test.ts'];
  const every = execFileSync('git', ['ls-files', ...pattern], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(root, file)));
  const suites = ['everyday', 'faults', 'containers'] as const;
  const run = suites.flatMap((suite) => listTests(suite, root));
  assert.deepEqual(run.sort(), every.sort());
});

test('every file of npm test runs once, in a batch or alone', () => {
  const files = listTests('everyday', root);
  const { batches, alone } = batchTests(files);
  assert.deepEqual([...batches.flat(), ...alone].sort(), files.sort());
  assert.ok(batches.length > 1);
});

test('npm run test:unit is a part of npm test, and the tests of the engine and the service are in it', () => {
  const everyday = new Set(listTests('everyday', root));
  const unit = listTests('unit', root);
  assert.deepEqual(
    unit.filter((file) => !everyday.has(file)),
    [],
  );
  assert.ok(
    unit.some((file) => file.startsWith('engine/src/')) &&
      unit.some((file) => file.startsWith('service/src/')),
  );
});

test('CI runs both, and the checks, and lets no test be left out', () => {
  const lines = readFileSync(join(root, '.ci/run'), 'utf8').split('\n');
  assert.ok(lines.indexOf('export CI=true') > 0);
  assert.deepEqual(
    lines.filter((line) => line.startsWith('npm ')),
    ['npm test', 'npm run check', 'npm run test:faults'],
  );
});

test('package.json, install.sh and the pages ask for the same Node', () => {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
  const least = engines.node.replace(/^>=/, '');
  for (const file of ['README.md', 'CONTRIBUTING.md', 'scripts/install.sh'])
    assert.match(read(file), new RegExp(`Node ${least} or later`), file);
});
