import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runKillRounds } from './kill-rounds.ts';

/** `npm run kills` does the same two hundred times. */
test('killed at random moments under load, it loses nothing it acknowledged and charges nothing twice', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const { violations, ...report } = await runKillRounds({ rounds: 3, seed });
  t.diagnostic(JSON.stringify({ seed, ...report }));
  assert.deepEqual(violations, [], `seed ${seed}`);
  assert.ok(report.kills >= 3 && report.tasks > 0 && report.lost > 0, 'the plug was pulled under load');
});
