import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTwinRounds } from './twin-rounds.ts';

/** `npm run kills` does the same five hundred times. */
for (const database of ['SQLite', 'PostgreSQL'] as const) {
  test(`twenty identical creations at once, a hundred times on ${database}: one task and one reservation each`, async (t) => {
    const report = await runTwinRounds(100, database);
    t.diagnostic(JSON.stringify(report));
    assert.equal(report.tasks, 100);
  });
}
