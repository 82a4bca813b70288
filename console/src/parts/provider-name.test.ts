import assert from 'node:assert/strict';
import { test } from 'node:test';
import { providerTable } from '@mailproof/engine';
import { providerName } from './provider-name.ts';

test('every provider that the service tells apart has a name that people know', () => {
  const nameless = providerTable.map(({ id }) => id).filter((id) => providerName(id) === id);
  assert.deepEqual(nameless, []);
  assert.equal(providerName('newer'), 'newer');
});
