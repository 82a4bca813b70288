import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databases } from '../../support/databases.ts';
import { runListKillRounds } from './list-kill-rounds.ts';

const rounds = 15;

for (const { name: database } of databases) {
  test(`${rounds} rounds of kills on ${database} while lists are uploaded, run and downloaded: no row lost, none charged twice`, async (t) => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const { violations, ...report } = await runListKillRounds({ rounds, seed, database });
    t.diagnostic(JSON.stringify({ seed, ...report }));
    assert.deepEqual(violations.slice(0, 20), [], `seed ${seed}, ${violations.length} violations`);
    assert.ok(report.kills >= rounds && report.started > 0 && report.lost > 0, 'they died under load');
    assert.ok(report.downloads > 0 && report.cut > 0, 'while lists were downloaded and uploads broke');
  });
}
