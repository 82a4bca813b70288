import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runKillRounds } from './kill-rounds.ts';
import { measureCheck } from './measure-check.ts';

test('killed ten times during 2,000 rows, the output is that of an undisturbed run, and credits are spent once', async () => {
  const { kills, completed, differences } = await runKillRounds({ rows: 2_000, kills: 10, seed: 7 });
  assert.deepEqual(differences, []);
  assert.equal(kills, 10);
  assert.ok(completed >= 1);
});

test('100,000 rows fit the heap of a small list', async () => {
  const { rowsWritten, spentMatches, peakMb } = await measureCheck(100_000, 32);
  assert.deepEqual([rowsWritten, spentMatches], [100_000, true]);
  assert.ok(peakMb < 400, `${peakMb} MB`);
});
