import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databasePlaces } from './database-places.ts';
import { runTwinRounds } from './twin-rounds.ts';

/** `npm run kills` does the same five hundred times. */
for (const { name, settings } of databasePlaces) {
  test(`twenty identical creations at once, a hundred times on ${name}: one task and one reservation each`, async (t) => {
    const report = await runTwinRounds(100, await settings());
    t.diagnostic(JSON.stringify(report));
    assert.equal(report.tasks, 100);
  });
}
