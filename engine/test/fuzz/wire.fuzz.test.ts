import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzLocalPartsOnTheWire } from './wire.fuzz.ts';

test('1,000 fuzzed local parts: the host sees each to the letter or not at all (npm run fuzz: 100,000)', async () => {
  const { sent, refused } = await fuzzLocalPartsOnTheWire({ runs: 1_000, seed: 7 });
  assert.ok(sent > 100 && refused > 100, `${sent} sent, ${refused} refused`);
});
