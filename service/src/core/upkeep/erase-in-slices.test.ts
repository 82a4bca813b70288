import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createTask } from '../verify/tasks/create-task.ts';
import { eraseExpiredTasks, taskRowsErasedAtOnce } from '../verify/tasks/erase-expired-tasks.ts';
import type { Tx } from '../store/statement.ts';
import { databases } from '../../../test/support/databases.ts';
import { pastSql } from '../../../test/support/load-past.ts';
import { openBehindProxy } from '../../../test/support/postgres/store-behind-proxy.ts';
import { openWatched } from '../../../test/support/query-plans.ts';
import { audit } from '../../start/whole-store.ts';
import { createEraser } from './erase-in-slices.ts';

for (const database of databases) {
  describe(`erasing in slices on ${database.name}`, () => {
    it('a slice that took long is followed by half of what would have been quick, and a quick one by a larger', async () => {
      const { store, close } = await database.open();
      let time = 0;
      const asked: number[] = [];
      const tookMs = [1, 1, 80, 1, 30, 1_000, 1];
      const erase = createEraser(
        (_, __, most) => {
          time += tookMs[asked.length] ?? 0;
          return Promise.resolve(asked.push(most) > tookMs.length ? 0 : most);
        },
        { most: 400, serialKey: 'erasing', monotonic: { now: () => time } },
      );
      const parts = { store, wallClock: { now: () => 0 } };
      while ((await erase(parts)) > 0);
      assert.deepEqual(asked.slice(0, 8), [50, 100, 200, 25, 50, 20, 20, 40]);
      await close();
    });

    it('begins with a small slice, whatever the most', async () => {
      const { store, close } = await database.open();
      const asked: number[] = [];
      const erase = createEraser((_, __, most) => Promise.resolve(asked.push(most) > 5 ? 0 : most), {
        most: 1_000,
        serialKey: 'erasing',
        monotonic: { now: () => 0 },
      });
      await erase({ store, wallClock: { now: () => 0 } });
      assert.deepEqual(asked, [50, 100, 200, 400, 800, 1_000]);
      await close();
    });

    it('has what eight slices wrote carried over before it goes on', async () => {
      const { store, close } = await database.open();
      const steps: string[] = [];
      const erase = createEraser(() => Promise.resolve(steps.push('slice') > 18 ? 0 : 1), {
        most: 1,
        serialKey: 'erasing',
        monotonic: { now: () => 0 },
      });
      const carryOver = () => Promise.resolve(void steps.push('carried over'));
      await erase({ store: { ...store, carryOver }, wallClock: { now: () => 0 } });
      const carriedAt = steps.flatMap((step, at) => (step === 'carried over' ? [at] : []));
      assert.deepEqual(carriedAt, [8, 17]);
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
      assert.deepEqual([await erase(parts), left], [250, 750]);
      assert.deepEqual([await erase(parts), left], [250, 500]);
      await close();
    });

    it('erases a hundred tasks in a few statements each, and the ledger stays whole', async () => {
      const fixture = await openWatched(database);
      const { store } = fixture;
      const past = { accountId: 'aaaa', tasks: 100, addressesInTask: 3, startedAt: 1, expiresAt: 5_000 };
      for (const sql of pastSql(past)) await fixture.execute(sql);
      fixture.forget();
      const quick = { now: () => 0 };
      const order = { most: taskRowsErasedAtOnce, serialKey: 'erasing', monotonic: quick };
      const erase = createEraser(eraseExpiredTasks, order);
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

    it('a task of a hundred addresses is a slice of its own, and of small ones many are in one', async () => {
      const fixture = await openWatched(database);
      const { store } = fixture;
      const large = { accountId: 'aaaa', tasks: 3, addressesInTask: 100, startedAt: 1, expiresAt: 1 };
      const small = { accountId: 'bbbb', tasks: 200, addressesInTask: 1, startedAt: 1, expiresAt: 2 };
      for (const sql of [...pastSql(large), ...pastSql(small)]) await fixture.execute(sql);
      const erase = (now: number, most: number) => store.write((tx) => eraseExpiredTasks(tx, now, most));
      assert.deepEqual([await erase(1, 50), await erase(1, 150)], [1, 1]);
      assert.deepEqual([await erase(2, 121), await erase(2, 120), await erase(2, 1_000)], [11, 60, 64]);
      await fixture.close();
    });

    it('keeps up with a hundred deletions for each creation', async () => {
      const fixture = await openWatched(database);
      const { store } = fixture;
      const creations = 10;
      const expiring = 100 * creations;
      const seconds = [1, 2, 3];
      for (const second of seconds) {
        const past = { accountId: `acc${second}`, tasks: expiring, addressesInTask: 1, startedAt: 1 };
        for (const sql of pastSql({ ...past, expiresAt: second })) await fixture.execute(sql);
      }
      let time = 0;
      const slices: number[] = [];
      const erase = createEraser(
        async (tx, now, most) => {
          const tasks = await eraseExpiredTasks(tx, now, most);
          // A sync of a slow disk, and what two rows of each task may cost.
          time += 8 + 0.02 * 2 * tasks;
          if (tasks > 0) slices.push(tasks);
          return tasks;
        },
        { most: taskRowsErasedAtOnce, serialKey: 'erasing', monotonic: { now: () => time } },
      );
      const caller = { accountId: 'acc1', keyId: 'key', mode: 'live', plan: 'paid' } as const;
      for (const second of seconds) {
        const wallClock = { now: () => second };
        const parts = { store, wallClock, taskDeadlineMs: 1e9, taskRetentionMs: 1e9, wake: () => undefined };
        const create = (n: number) => {
          const requestId = `${second} ${n}`;
          const emails = ['someone@example.com'];
          return createTask({ caller, emails, name: undefined, requestId, idempotency: undefined }, parts);
        };
        slices.length = 0;
        const [erased, ...created] = await Promise.all([
          // Time is the test's own here: a slow machine makes no slice a long one.
          erase({ store: { ...store, writeBriefly: store.writeRepeatable }, wallClock }),
          ...Array.from({ length: creations }, (_, n) => create(n)),
        ]);
        assert.equal(erased, expiring, 'all that expired in a second is gone with its sweep');
        assert.ok(slices.length <= 20 && Math.max(...slices) <= 64, slices.join(' '));
        assert.ok(created.every(({ kind }) => kind === 'created'));
      }
      assert.deepEqual((await audit({ store })).violations, []);
      await fixture.close();
    });
  });
}

describe('erasing on PostgreSQL where a slice takes long', () => {
  const expiresAt = 5_000;

  /** Ten tasks or so; to delete them takes ten seconds where the condition holds, and the store waits for a second. */
  async function openSlow(t: TestContext, { tasks, isSlow }: { tasks: number; isSlow: string }) {
    const { store, database } = await openBehindProxy(t, { briefStatementMs: 1_000 });
    const past = { accountId: 'aaaa', tasks, addressesInTask: 9, startedAt: 1, expiresAt };
    for (const sql of pastSql(past)) await database.execute(sql);
    await database.execute(`create function dawdle() returns trigger language plpgsql as $$ begin
      if ${isSlow} then perform pg_sleep(10); end if; return null; end $$`);
    await database.execute(`create trigger dawdle after delete on task referencing old table as gone
      for each statement execute function dawdle()`);
    const asked: number[] = [];
    const isUnlocked = () => database.execute('select id from task for update nowait');
    const slice = async (tx: Tx, now: number, most: number) => {
      asked.push(most);
      await isUnlocked();
      return eraseExpiredTasks(tx, now, most);
    };
    const order = { most: taskRowsErasedAtOnce, serialKey: 'erasing', monotonic: { now: () => 0 } };
    const erase = createEraser(slice, order);
    return { store, asked, erase: () => erase({ store, wallClock: { now: () => expiresAt } }) };
  }

  it('it is undone, its locks are free, and in smaller ones everything goes in the end', async (t) => {
    const isSlow = '(select count(*) from gone) > 4';
    const { store, asked, erase } = await openSlow(t, { tasks: 12, isSlow });
    assert.equal(await erase(), 12);
    // Ten rows each: five tasks are too many, two and four are not, and of eight there are only six left.
    assert.deepEqual(asked, [50, 20, 40, 80, 20, 40, 80]);
    const { tasks, violations } = await audit({ store });
    assert.deepEqual([tasks, violations], [0, []]);
  });

  it('one alone has all the time it needs', async (t) => {
    const isSlow = `pg_sleep(2) is not null and current_setting('statement_timeout')::interval < '10 s'`;
    const { store, asked, erase } = await openSlow(t, { tasks: 1, isSlow });
    assert.equal(await erase(), 1);
    assert.deepEqual(asked, [50, 20, 1, 20]);
    assert.deepEqual((await audit({ store })).tasks, 0);
  });

  it('what fails for another reason is not tried again', async (t) => {
    const { asked, erase } = await openSlow(t, { tasks: 1, isSlow: '1 / 0 = 1' });
    await assert.rejects(erase(), /division by zero/);
    assert.deepEqual(new Set(asked), new Set([50]));
  });
});
