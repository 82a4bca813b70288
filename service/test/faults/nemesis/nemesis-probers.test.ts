import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proberFaultKinds } from './faults.ts';
import { runNemesis } from './run-nemesis.ts';

test('three APIs and three workers that ask through two probers, under every fault of those and of the database: nothing acknowledged is lost, nothing charged twice', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const { violations, ...report } = await runNemesis({
    seed,
    probers: 2,
    schedule: [
      ['kill_prober', 'cut_prober', 'cut_connections'],
      ['remove_prober', 'kill_api'],
      ['stop_prober', 'kill_worker', 'halt_database'],
    ],
  });
  t.diagnostic(JSON.stringify({ seed, ...report }));
  assert.deepEqual(violations, [], `seed ${seed}`);
  assert.deepEqual(
    proberFaultKinds.map((kind) => report.faults[kind]),
    proberFaultKinds.map(() => 1),
    'each fault struck',
  );
  assert.ok(report.tasks > 0 && report.requests > report.tasks, 'under load');
});
