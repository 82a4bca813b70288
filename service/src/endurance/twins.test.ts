import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTwinRounds } from './twin-rounds.ts';

/** `npm run kills` does the same five hundred times. */
test('twenty identical creations at once, a hundred times: one task and one reservation each', async (t) => {
  const report = await runTwinRounds(100);
  t.diagnostic(JSON.stringify(report));
  assert.equal(report.tasks, 100);
});
