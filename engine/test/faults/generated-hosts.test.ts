import assert from 'node:assert/strict';
import { test } from 'node:test';
import { told, verifyGenerated } from '../support/verify-generated.ts';

/** Each seed makes another host; the truth that it is compared with is told in `world/src/generated`. */
const hosts = 20_000;

test('no conclusive verdict about 20,000 hosts made by chance contradicts the truth', async (context) => {
  const figures = await verifyGenerated(Array.from({ length: hosts }, (_, seed) => seed));
  context.diagnostic(told(figures));
  assert.deepEqual(figures.wrong, []);
});
