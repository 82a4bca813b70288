import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddressTable } from './address-table.ts';

test('numbers keys in the order they first come, through every growth', () => {
  const table = createAddressTable();
  const count = 200_000;
  for (let i = 0; i < count; i += 1) assert.equal(table.numberOf(`key ${i}`), i);
  for (let i = 0; i < count; i += 997) assert.equal(table.numberOf(`key ${i}`), i);
  assert.equal(table.count(), count);
});
