import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { releaseExpiredHolds, releaseHoldsOf } from '../../ledger/release-abandoned-holds.ts';
import { readLedger } from '../../ledger/read-ledger.ts';
import { findAccounts } from '../../../features/operator/find-accounts.ts';
import { readLists } from '../../../features/lists/read-lists.ts';
import { databases } from '../../../../test/support/databases.ts';
import { pastSql, waitingSql, type Past } from '../../../../test/support/load-past.ts';
import {
  growingSteps,
  openWatched,
  planOf,
  type SeenStatement,
} from '../../../../test/support/query-plans.ts';
import { safe } from '../../../../test/support/outcomes.ts';
import { claimTask, mostTasksOfAccount, releaseTasksOf } from './claim-task.ts';
import { endOverdueTasks } from './end-task.ts';
import { eraseExpiredTasks } from './erase-expired-tasks.ts';
import { recordResult } from './items.ts';
import { listTasks } from './list-tasks.ts';
import { readTaskQueue } from './read-task-queue.ts';

const startedAt = 1_000_000_000;
const now = startedAt + 100_000_000;
const waiting = 3_000;

const past = (accountId: string, tasks: number): Past => ({
  accountId,
  tasks,
  addressesInTask: 2,
  startedAt,
  expiresAt: now + 1_000_000,
});

for (const database of databases) {
  describe(`with many tasks on ${database.name}`, () => {
    async function setUp(accounts: [Past, number][]) {
      const fixture = await openWatched(database);
      for (const [own, tasks] of accounts)
        for (const sql of [...pastSql(own), ...waitingSql(own, tasks)]) await fixture.execute(sql);
      await fixture.analyze();
      fixture.forget();
      const claim = () => fixture.store.write((tx) => claimTask(tx, { processId: 'one', mode: 'live', now }));
      /** Every statement since the last time can follow an index, and none hands out many rows. */
      const assertFlat = async (mostRows: number, small = /^$/) => {
        const seen = new Map<string, SeenStatement>();
        for (const one of fixture.seen()) {
          assert.ok(one.rows <= mostRows, `${one.rows} rows: ${one.sql}`);
          seen.set(one.sql, one);
        }
        assert.ok(seen.size > 0);
        for (const one of seen.values()) {
          const plan = await planOf(fixture, one);
          assert.deepEqual(growingSteps(plan, small), [], `${one.sql}\n${plan.join('\n')}`);
        }
        fixture.forget();
      };
      return { ...fixture, claim, assertFlat };
    }

    /** Named for what it holds: tasks under way, and accounts one after the other. */
    const small = /leased_task|SCAN waiting|CTE Scan|WorkTable Scan|SCAN CONSTANT ROW|on waiting/;

    it('a claim follows an index to its task, however many wait', async () => {
      const { claim, assertFlat, close } = await setUp([[past('aaaa', 500), waiting]]);
      assert.equal((await claim())?.accountId, 'aaaa');
      await assertFlat(32, small);
      // The head of the queue is now of accounts that have tasks under way.
      assert.equal((await claim())?.accountId, 'aaaa');
      await assertFlat(256, small);
      await close();
    });

    it('an account that waits behind many tasks of another is next, and in turn after that', async () => {
      const { claim, close } = await setUp([
        [past('aaaa', 1), waiting],
        [{ ...past('bbbb', 1), startedAt: startedAt + 10_000 }, 40],
      ]);
      const order: (string | undefined)[] = [];
      for (let n = 0; n < 2 * mostTasksOfAccount + 2; n += 1) order.push((await claim())?.accountId);
      assert.deepEqual(order.slice(0, 4), ['aaaa', 'bbbb', 'aaaa', 'bbbb']);
      assert.deepEqual(order.slice(-2), [undefined, undefined], 'no account has more than its share');
      await close();
    });

    it('the first of an account is claimed first, and a worker that died gives way in the same order', async () => {
      const { claim, store, close } = await setUp([[past('aaaa', 1), 60]]);
      const first = await claim();
      const later = now + 31_000;
      const lapsed = await store.write((tx) => claimTask(tx, { processId: 'two', mode: 'live', now: later }));
      assert.deepEqual([lapsed?.taskId, lapsed?.fence], [first?.taskId, 2]);
      await close();
    });

    it('what the sweep looks for is found by an index, with nothing to find', async () => {
      const { store, forget, assertFlat, close } = await setUp([[past('aaaa', 500), waiting]]);
      forget();
      await releaseExpiredHolds(now, { store });
      await releaseHoldsOf({ processId: 'gone', now }, { store });
      await endOverdueTasks({ processId: 'one', now, retentionMs: 1 }, { store });
      await store.write((tx) => eraseExpiredTasks(tx, now));
      await store.write((tx) => releaseTasksOf(tx, 'gone'));
      await assertFlat(0, /leased_task|open_single_hold/);
      await close();
    });

    it('what the operator sees of the queue is counted from its head, and no further than told', async () => {
      const fixture = await setUp([[past('aaaa', 500), 2_000]]);
      const { store, forget, execute, analyze, claim, close } = fixture;
      assert.ok((await claim()) !== undefined);
      await execute(`update task set status = 'running', fence = 1 where id =
        (select id from task where status = 'waiting' order by next_at limit 1)`);
      await analyze();
      forget();
      const queue = await readTaskQueue({ store }, 1_000);
      // One is held, and one that was claimed before waits for its mail host, in front of all that wait.
      const oldestWaitingAt = startedAt + 500 + 3;
      assert.deepEqual(queue, { waiting: 999, running: 2, oldestWaitingAt });
      for (const one of new Map(fixture.seen().map((seen) => [seen.sql, seen])).values()) {
        const plan = (await planOf(fixture, one)).join('\n');
        assert.match(plan, /leased_task|free_task/, `${one.sql}\n${plan}`);
      }
      await close();
    });

    it('pages of the ledger and of tasks cost what is on them', async () => {
      const { store, forget, assertFlat, close } = await setUp([[past('aaaa', 3_000), 10]]);
      const wallClock = { now: () => now };
      forget();
      const ledger = await readLedger({ accountId: 'aaaa', limit: 20, from: undefined }, { store });
      assert.ok(ledger.kind === 'page' && ledger.next !== undefined);
      await readLedger({ accountId: 'aaaa', limit: 20, from: ledger.next }, { store });
      const tasks = await listTasks({ accountId: 'aaaa', limit: 20, after: undefined }, { store, wallClock });
      assert.ok(tasks.next !== undefined);
      const next = await listTasks({ accountId: 'aaaa', limit: 20, after: tasks.next }, { store, wallClock });
      assert.equal(next.tasks.length, 20);
      await assertFlat(21, /SCAN page|Seq Scan on account/);
      await close();
    });

    it('a page of a test key does not pass by the live tasks of its account', async () => {
      const fixture = await setUp([[past('aaaa', 3_000), 10]]);
      const { store, execute, analyze, forget, seen, close } = fixture;
      await execute(`update task set mode = 'test' where id in
        (select id from task where status <> 'completed' order by created_at limit 3)`);
      await analyze();
      forget();
      const page = { accountId: 'aaaa', mode: 'test', limit: 20, after: undefined } as const;
      const { tasks } = await listTasks(page, { store, wallClock: { now: () => now } });
      assert.equal(tasks.length, 3);
      const [asked] = seen();
      assert.ok(asked);
      assert.match((await planOf(fixture, asked)).join('\n'), /test_task_by_time/);
      await close();
    });

    it('pages of lists and accounts follow their order', async () => {
      const { store, execute, analyze, forget, assertFlat, close } = await setUp([
        [past('aaaa', 500), waiting],
      ]);
      const numbers = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000)';
      await execute(`${numbers} insert into account
        (id, name, plan, granted, available, reserved, spent, entries, touched_at, created_at)
        select 'x' || cast(i as text), 'many', 'paid', 0, 0, 0, 0, 0, i, i from n`);
      await execute(`${numbers} insert into list (id, account_id, mode, name, state, created_at, expires_at)
        select 'l' || cast(i as text), 'aaaa', 'test', 'many', 'surveyed', i, 99 from n`);
      await analyze();
      forget();
      const { next } = await findAccounts({ limit: 20, after: undefined, search: undefined }, { store });
      assert.ok(next !== undefined);
      await findAccounts({ limit: 20, after: next, search: undefined }, { store });
      const owner = { accountId: 'aaaa', mode: 'test' } as const;
      const lists = await readLists(store.read, { ...owner, limit: 20, after: undefined });
      assert.ok(lists.next !== undefined);
      await readLists(store.read, { ...owner, limit: 20, after: lists.next });
      await assertFlat(21, /on api_key|leased_task/);
      await close();
    });

    it('results of a task that are written together are counted once', async () => {
      const { store, forget, seen, claim, execute, close } = await setUp([[past('aaaa', 1), 1]]);
      const claimed = await claim();
      assert.ok(claimed !== undefined);
      await execute(`update task set total = 10 where id = '${claimed.taskId}'`);
      const numbers = 'with recursive n (i) as (select 1 union all select i + 1 from n where i < 9)';
      await execute(`${numbers} insert into item
        (task_id, position, email, state, attempts, visits, next_at, conclusive)
        select '${claimed.taskId}', i, 'p@example.com', 'pending', 0, 0, 0, 0 from n`);
      forget();
      const outcome = safe('p@example.com');
      assert.ok(outcome.kind === 'verdict');
      const { verdict, explanation } = outcome;
      const result = { verdict, explanation, conclusive: true };
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, position) =>
          store.write((tx) => recordResult(tx, claimed, { position, result })),
        ),
      );
      assert.ok(answers.every(({ kind }) => kind === 'written'));
      const statements = seen();
      assert.equal(statements.filter(({ sql }) => sql.startsWith('update "item"')).length, 10);
      assert.equal(statements.filter(({ sql }) => sql.startsWith('update "task"')).length, 1);
      await close();
    });
  });
}
