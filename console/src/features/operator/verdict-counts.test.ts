import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countUnknown, partsOf } from './verdict-counts.ts';

test('what did not occur has no part, and the share of unknown is of everything', () => {
  const counts = { unknown: 2, safe: 6, invalid: 0 };
  assert.deepEqual(partsOf(counts), [
    { status: 'safe', count: 6 },
    { status: 'unknown', count: 2 },
  ]);
  const from = '2026-01-02T03:00:00Z';
  const verdicts = [counts, {}].map((one) => ({ from, minutes: 60, counts: one }));
  assert.deepEqual(countUnknown(verdicts), { unknown: 2, total: 8 });
});
