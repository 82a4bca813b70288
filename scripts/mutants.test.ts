import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultOf } from './mutants/mutant.ts';
import { mutants } from './mutants/mutants.ts';

/** `npm run test:mutants` takes minutes. These tests find mutants that it could not try. */
const root = join(import.meta.dirname, '..');

test('there are at least 150 mutants, each under a name of its own', () => {
  assert.ok(mutants.length >= 150, String(mutants.length));
  const names = mutants.map(({ name }) => name);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  assert.deepEqual(twice, []);
});

test('the text of every mutant stands once in its file, and the file can be parsed with it', () => {
  const faults = mutants.flatMap((mutant) => {
    const fault = faultOf(mutant);
    return fault === undefined ? [] : [`${mutant.name}: ${fault}`];
  });
  assert.deepEqual(faults, []);
});

test('the tests of every mutant are there', () => {
  const missing = mutants.flatMap(({ tests }) => tests).filter((file) => !existsSync(join(root, file)));
  assert.deepEqual([...new Set(missing)], []);
});

test('at most one mutant in twenty says that no test can find it', () => {
  const survivors = mutants.filter(({ survives }) => survives !== undefined);
  assert.ok(survivors.length <= mutants.length / 20, survivors.map(({ name }) => name).join(', '));
});
