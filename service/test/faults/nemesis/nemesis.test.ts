import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultKinds } from './faults.ts';
import { runNemesis } from './run-nemesis.ts';

/** `npm run nemesis` draws such rounds at random for five minutes. */
test('three APIs and three workers under every fault once: nothing acknowledged is lost, nothing charged twice', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const { violations, ...report } = await runNemesis({
    seed,
    schedule: [
      ['kill_api', 'kill_worker', 'cut_connections'],
      ['stop_worker', 'halt_database', 'skew_clock'],
    ],
  });
  t.diagnostic(JSON.stringify({ seed, ...report }));
  assert.deepEqual(violations, [], `seed ${seed}`);
  assert.deepEqual(
    faultKinds.map((kind) => report.faults[kind]),
    faultKinds.map(() => 1),
    'each fault struck',
  );
  assert.ok(report.tasks > 0 && report.requests > report.tasks && report.keysDeleted > 0, 'under load');
});
