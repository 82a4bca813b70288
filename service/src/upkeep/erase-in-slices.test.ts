import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eraseExpiredTasks, tasksErasedAtOnce } from '../tasks/erase-expired-tasks.ts';
import { databases } from '../../test/support/databases.ts';
import { pastSql } from '../../test/support/load-past.ts';
import { openWatched } from '../../test/support/query-plans.ts';
import { audit } from './audit.ts';
import { createEraser } from './erase-in-slices.ts';

for (const database of databases) {
  describe(`erasing in slices on ${database.name}`, () => {
    it('a slice that took long is followed by a smaller one, and a quick one by a larger', async () => {
      const { store, close } = await database.open();
      let time = 0;
      const asked: number[] = [];
      const tookMs = [60, 60, 1, 1, 1];
      const erase = createEraser(
        (_, __, most) => {
          time += tookMs[asked.length] ?? 0;
          return Promise.resolve(asked.push(most) > tookMs.length ? 0 : most);
        },
        { most: 40, serialKey: 'erasing', monotonic: { now: () => time } },
      );
      assert.equal(await erase({ store, wallClock: { now: () => 0 } }), 40 + 20 + 10 + 20 + 40);
      assert.deepEqual(asked, [40, 20, 10, 20, 40, 40]);
      await close();
    });

    it('ends with its share of the second, and goes on the next time', async () => {
      const { store, close } = await database.open();
      let time = 0;
      let left = 1_000;
      const erase = createEraser(
        (_, __, most) => {
          time += 20;
          left -= most;
          return Promise.resolve(most);
        },
        { most: 10, serialKey: 'erasing', monotonic: { now: () => time } },
      );
      const parts = { store, wallClock: { now: () => 0 } };
      assert.deepEqual([await erase(parts), left], [130, 870]);
      assert.deepEqual([await erase(parts), left], [130, 740]);
      await close();
    });

    it('erases a hundred tasks in a few statements each, and the ledger stays whole', async () => {
      const fixture = await openWatched(database);
      const { store } = fixture;
      const past = { accountId: 'aaaa', tasks: 100, addressesInTask: 3, startedAt: 1, expiresAt: 5_000 };
      for (const sql of pastSql(past)) await fixture.execute(sql);
      fixture.forget();
      const erase = createEraser(eraseExpiredTasks, { most: tasksErasedAtOnce, serialKey: 'erasing' });
      const still = { store, wallClock: { now: () => 4_999 } };
      assert.equal(await erase(still), 0);
      let erased = 0;
      for (const over = { store, wallClock: { now: () => 5_000 } }; erased < 100;)
        erased += await erase(over);
      assert.equal(erased, 100);
      const deletes = fixture.seen().filter(({ sql }) => sql.startsWith('delete'));
      assert.ok(deletes.length < 100, `${deletes.length} statements`);
      const { tasks, violations } = await audit({ store });
      assert.deepEqual([tasks, violations], [0, []]);
      await fixture.close();
    });
  });
}
