import assert from 'node:assert/strict';
import { test } from 'node:test';
import { told, verifyGenerated } from '../support/verify-generated.ts';

/** The first of the hosts that `test/faults/generated-hosts.test.ts` verifies. */
const hosts = 200;

test('no conclusive verdict about hosts made by chance contradicts the truth', async (context) => {
  const figures = await verifyGenerated(Array.from({ length: hosts }, (_, seed) => seed));
  context.diagnostic(told(figures));
  assert.deepEqual(figures.wrong, []);
});
