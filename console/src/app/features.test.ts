import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf, productionOf } from '../../../scripts/source-tree.ts';
import { readFeatures, type Owner } from './features.ts';

const owners: readonly Owner[] = [
  'core',
  'lists',
  'webhooks',
  'forms',
  'people',
  'probers',
  'operator',
] as const;

const present = (content: string | null | undefined) =>
  owners.filter((owner) => readFeatures(content).has(owner));

test('a page that names no features, or all, has every feature', () => {
  assert.deepEqual(present(undefined), owners);
  assert.deepEqual(present(null), owners);
  assert.deepEqual(present('all'), owners);
});

test('a feature that the page does not name is left out, and the core never is', () => {
  assert.deepEqual(present('lists, webhooks,metrics'), ['core', 'lists', 'webhooks']);
  assert.deepEqual(present(''), ['core']);
});

test('the core imports no feature, and a feature imports no other', () => {
  const featureOf = (file: string) => /^console\/src\/features\/([^/]+)\//.exec(file)?.[1];
  const composition = /^console\/src\/(?:main\.tsx$|shell\/)/;
  const wrong = productionOf('console')
    .filter((file) => !composition.test(file))
    .flatMap(importsOf)
    .filter(({ from, to }) => featureOf(to) !== undefined && featureOf(to) !== featureOf(from));
  assert.deepEqual(
    wrong.map(({ from, to }) => `${from} imports ${to}`),
    [],
  );
});
