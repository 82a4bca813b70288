import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reserve } from '../ledger/reserve.ts';
import type { Violation } from '../ledger/violation.ts';
import type { Connection } from '../store/connection.ts';
import { databases } from '../../../test/support/databases.ts';
import { pastSql, waitingSql, type Past } from '../../../test/support/load-past.ts';
import { addresses, openTaskFixture } from '../../../test/support/open-task-fixture.ts';
import { growingSteps, openWatched, planOf } from '../../../test/support/query-plans.ts';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { audit } from '../../start/whole-store.ts';
import { watchAllBooks } from '../../start/whole-store.ts';

const past: Past = {
  accountId: 'abcd0000-past',
  tasks: 3_000,
  addressesInTask: 2,
  startedAt: 1_000_000,
  expiresAt: 10_000_000_000_000,
};

/** Most of them have ended long ago. */
const manyLists = `with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000)
  insert into list (id, account_id, mode, name, state, created_at, ended_at, expires_at)
  select 'l' || cast(i as text), '${past.accountId}', 'test', 'many',
    case when i < 2998 then 'cancelled' else 'surveyed' end, i,
    case when i < 2998 then i end, 10000000000000 from n`;

for (const database of databases) {
  describe(`watching the books on ${database.name}`, () => {
    async function setUp() {
      const fixture = await openTaskFixture(database, 20);
      const told: Violation[] = [];
      const { wallClock } = fixture.time;
      const onViolation = (one: Violation) => void told.push(one);
      const watch = watchAllBooks({ store: fixture.store, wallClock, onViolation });
      return { ...fixture, told, watch };
    }

    it('freezes an account whose books do not balance, tells of it, and repairs nothing', async () => {
      const { watch, told, account, create, damage, balance, close } = await setUp();
      assert.deepEqual((await watch.look()).violations, []);
      assert.equal((await create(account.live, addresses(1))).kind, 'created');
      await damage('update account set granted = granted + 5, available = available + 5');
      assert.notDeepEqual((await watch.look()).violations, []);
      assert.notDeepEqual(told, []);
      assert.deepEqual(await create(account.live, addresses(1)), { kind: 'account_frozen' });
      assert.deepEqual(await balance(), [24, 1, 0]);
      await close();
    });

    it('finds figures that moved without an entry', async () => {
      const { watch, damage, close } = await setUp();
      await watch.look();
      await damage('update account set granted = granted + 5, available = available + 5');
      const found = (await watch.look()).violations.map(({ invariant }) => invariant);
      assert.deepEqual([...new Set(found)], ['I2']);
      await close();
    });

    it('looks at everything first and then at what is new', async () => {
      const { watch, account, create, time, close } = await setUp();
      assert.equal((await watch.look()).accounts, 1);
      time.advance(300_000);
      assert.equal((await watch.look()).accounts, 0);
      await create(account.live, addresses(1));
      const { accounts, tasks } = await watch.look();
      assert.deepEqual([accounts, tasks], [1, 1]);
      await close();
    });

    it('goes on where the process before it left off', async () => {
      const { watch, store, time, account, create, close } = await setUp();
      await watch.look();
      await create(account.live, addresses(1));
      const next = watchAllBooks({ store, wallClock: time.wallClock, onViolation: () => undefined });
      assert.equal((await next.look()).tasks, 1);
      assert.deepEqual(next.progress(), { audited: 1, entries: 1 });
      assert.equal((await next.look()).accounts, 0);
      await close();
    });

    it('tells of a frozen account once', async () => {
      const { watch, told, damage, close } = await setUp();
      await damage('update account set granted = granted + 5, available = available + 5');
      await watch.look();
      const toldOnce = told.length;
      await watch.look();
      assert.equal(told.length, toldOnce);
      await close();
    });

    const wrongs: [string, string][] = [
      ['update hold set charged = charged - 1, released = released + 1 where charged > 0', 'I4'],
      ['update hold set charged = charged - 1, released = released + 1 where charged > 0', 'I5'],
      [`update hold set state = 'open', charged = 0, released = 0`, 'I3'],
      [`update entry set credits = credits + 1 where kind = 'charge'`, 'I2'],
      [`delete from entry where kind = 'charge'`, 'I10'],
      ['delete from item where position = 0', 'I6'],
      ["update task set status = 'running', completed_at = null", 'I6'],
      ['update task set hold_id = null', 'I6'],
      ['update task set checked = 0', 'I7'],
      ['update task set lease_until = 5', 'I9'],
      ["update item set state = 'pending', verdict = null where position = 1", 'I6'],
    ];
    for (const [sql, invariant] of wrongs) {
      it(`finds ${invariant} in what is new: ${sql}`, async () => {
        const { watch, account, created, run, claim, damage, close } = await setUp();
        await watch.look();
        await created(account.live, addresses(3));
        await run((await claim())!);
        await damage(sql);
        const found = (await watch.look()).violations.map((violation) => violation.invariant);
        assert.ok(found.includes(invariant), `found ${found.join(' ')}`);
        await close();
      });
    }

    it('finds a hold that lost its task, and a task of a test key that lost an address', async () => {
      const { watch, account, store, created, damage, close } = await setUp();
      const { accountId } = account;
      const taken = {
        accountId,
        credits: 1,
        key: { id: 'key', capped: false },
        ifAvailable: 1,
        keeper: null,
        now: 1,
      };
      await store.write((tx) => reserve(tx, taken));
      await created(account.test, addresses(2));
      await damage(`update waiting_addresses set emails = '["one@example.com"]'`);
      const found = (await watch.look()).violations;
      assert.deepEqual(
        found.map(({ invariant, taskId }) => [invariant, taskId === undefined]),
        [
          ['I6', true],
          ['I6', false],
        ],
      );
      await close();
    });

    it('breaks off where it is told to stop, and loses nothing of what it had done', async () => {
      const { watch, close } = await setUp();
      await assert.rejects(watch.look(AbortSignal.abort()), { name: 'AbortError' });
      assert.equal((await watch.look()).accounts, 1);
      await close();
    });
  });

  describe(`the cost of watching the books on ${database.name}`, () => {
    async function setUp() {
      const fixture = await openWatched(database);
      for (const sql of pastSql(past)) await fixture.execute(sql);
      await fixture.analyze();
      const { store } = fixture;
      const { wallClock } = createTestClock();
      const watch = watchAllBooks({ store, wallClock, onViolation: () => undefined });
      return { ...fixture, wallClock, watch };
    }

    it('no statement hands out more than 1,000 rows, reads a table from end to end, or sorts', async () => {
      const fixture = await setUp();
      for (const sql of waitingSql(past, 4_000)) await fixture.execute(sql);
      await fixture.execute(manyLists);
      await fixture.analyze();
      fixture.forget();
      const { tasks, violations } = await fixture.watch.look();
      // One whose two entries are in two slices is looked at twice.
      assert.deepEqual([tasks >= past.tasks, violations], [true, []]);
      // The first of each: for the few entries at the end of a ledger PostgreSQL may well read all of a small table.
      const seen = new Map(
        fixture
          .seen()
          .toReversed()
          .map((statement) => [statement.sql, statement]),
      );
      assert.ok(seen.size >= 8, `${seen.size} statements`);
      assert.ok(fixture.seen().every(({ rows }) => rows <= 1_000));
      for (const statement of seen.values()) {
        // There are few accounts here, and seldom many single requests under way.
        if (/from "(?:account|audit_mark|open_task_credits)"/.test(statement.sql)) continue;
        const plan = await planOf(fixture, statement);
        // The index leads to what is new of the lists; how PostgreSQL goes on depends on how few these are.
        if (statement.sql.includes('from "list"')) {
          assert.match(plan.join('\n'), /list_hold|list_not_ended|list_ended/, statement.sql);
          continue;
        }
        const growing = growingSteps(plan, /open_single_hold/);
        assert.deepEqual(growing, [], `${statement.sql}\n${plan.join('\n')}`);
        // By way of its account it would pass by all tasks that the account ever had.
        if (statement.sql.includes('"request_id" in'))
          assert.match(plan.join('\n'), /task_by_request/, statement.sql);
      }
      await fixture.close();
    });

    it('reads a long ledger in slices that begin small and go by how long the last one took', async () => {
      let time = 0;
      const asked: number[] = [];
      const wrap = <Line extends Connection>(connection: Line): Line => ({
        ...connection,
        execute: (sql, values) => {
          if (/^select .* from "entry" left join/.test(sql)) {
            const limit = Number(values.at(-1));
            // The machine has other work for a while.
            const msOfEntry = asked.length === 4 ? 0.2 : 0.02;
            time += msOfEntry * limit;
            asked.push(limit);
          }
          return connection.execute(sql, values);
        },
      });
      const fixture = await database.open({ wrap });
      for (const sql of pastSql({ ...past, tasks: 500 })) await fixture.execute(sql);
      const watch = watchAllBooks({
        store: fixture.store,
        wallClock: createTestClock().wallClock,
        onViolation: () => undefined,
        monotonic: { now: () => time },
      });
      assert.deepEqual((await watch.look()).violations, []);
      assert.deepEqual(asked, [50, 100, 200, 200, 200, 50, 100, 200]);
      await fixture.close();
    });

    it('costs as much as is new, and not as much as there is or waits', async () => {
      const fixture = await setUp();
      for (const sql of waitingSql(past, 2_000)) await fixture.execute(sql);
      await fixture.execute(manyLists);
      const { store, watch } = fixture;
      await watch.look();
      const cost = async () => {
        fixture.forget();
        const reservation = {
          accountId: past.accountId,
          credits: 1,
          key: { id: 'key', capped: false },
          ifAvailable: 1,
          now: 5,
        };
        const keeper = { processId: 'one', expiresAt: 50_000 };
        await store.write((tx) => reserve(tx, { ...reservation, keeper }), past.accountId);
        fixture.forget();
        assert.equal((await watch.look()).accounts, 1);
        return fixture.seen().reduce((sum, { rows }) => sum + 1 + rows, 0);
      };
      assert.ok((await cost()) < 50);
      fixture.forget();
      assert.equal((await watch.look()).accounts, 0);
      assert.equal(fixture.seen().length, 1);
      await fixture.close();
    });

    it('finds a hold among thousands of open ones that was closed without an entry', async () => {
      const fixture = await setUp();
      for (const sql of waitingSql(past, 2_000)) await fixture.execute(sql);
      assert.deepEqual((await fixture.watch.look()).violations, []);
      await fixture.execute(`update hold set state = 'settled', released = credits
        where id = (select max(id) from hold where state = 'open')`);
      await fixture.execute('update account set available = available + 1, granted = granted + 1');
      const found = (await fixture.watch.look()).violations.map(({ invariant }) => invariant);
      assert.ok(found.includes('I3'), `found ${found.join(' ')}`);
      await fixture.close();
    });

    it('the whole audit finds nothing either, and a sum of open holds that is not kept', async () => {
      const fixture = await setUp();
      const { tasks, violations } = await audit(fixture);
      assert.deepEqual([tasks, violations], [past.tasks, []]);
      await fixture.execute(
        `insert into open_task_credits (account_id, credits) values ('${past.accountId}', 1)`,
      );
      const found = (await audit(fixture)).violations;
      assert.deepEqual(
        found.map(({ invariant, detail }) => [invariant, /kept sum/.test(detail)]),
        [['I3', true]],
      );
      await fixture.close();
    });
  });
}
