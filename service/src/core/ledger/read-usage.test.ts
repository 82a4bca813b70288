import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Reader } from '../store/statement.ts';
import { databases } from '../../../test/support/databases.ts';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { openAccount } from '../../../test/support/open-account.ts';
import { createUsageReader } from './read-usage.ts';
import { reserve } from './reserve.ts';
import { settle } from './settle.ts';

const dayMs = 86_400_000;

for (const database of databases) {
  describe(`use by day on ${database.name}`, () => {
    async function setUp() {
      const { store, execute, close } = await database.open();
      const time = createTestClock(Date.UTC(2026, 0, 31, 12));
      const { accountId } = await openAccount({ store, wallClock: time.wallClock }, 1_000);
      let reads = 0;
      const counted: Reader = {
        all: (wanted, args) => ((reads += 1), store.read.all(wanted, args)),
        first: (wanted, args) => ((reads += 1), store.read.first(wanted, args)),
      };
      const { byDay: readUsage, byKey } = createUsageReader({
        store: { read: counted },
        wallClock: time.wallClock,
      });
      const spend = (credits: number) =>
        store.write(
          (tx) =>
            reserve(tx, {
              accountId,
              credits,
              key: { id: 'key', capped: false },
              ifAvailable: credits,
              keeper: null,
              now: time.wallClock.now(),
            }),
          accountId,
        );
      const takeReads = () => {
        const taken = reads;
        reads = 0;
        return taken;
      };
      return { store, execute, close, time, accountId, readUsage, spend, takeReads, byKey };
    }

    it('what was charged is told apart by key', async () => {
      const { store, time, accountId, byKey, close } = await setUp();
      const charge = async (id: string, credits: number, charged: number) => {
        const now = time.wallClock.now();
        const key = { id, capped: false };
        const held = await store.write(
          (tx) => reserve(tx, { accountId, key, credits, ifAvailable: credits, keeper: null, now }),
          accountId,
        );
        assert.ok(held.kind === 'reserved');
        const { holdId } = held;
        await store.write((tx) => settle(tx, { accountId, holdId, charge: charged, now }), accountId);
      };
      await charge('old', 9, 9);
      time.advance(2 * dayMs);
      await charge('a', 5, 3);
      await charge('b', 5, 0);
      time.advance(dayMs);
      await charge('a', 4, 4);
      await charge('c', 1, 1);
      assert.deepEqual(Object.fromEntries(await byKey({ accountId, days: 2 })), { a: 7, c: 1 });
      assert.deepEqual(Object.fromEntries(await byKey({ accountId, days: 4 })), { old: 9, a: 7, c: 1 });
      await close();
    });

    it('a day begins and ends with UTC', async () => {
      const { time, accountId, readUsage, spend, close } = await setUp();
      time.advance(12 * 3_600_000 - 1);
      await spend(1);
      time.advance(1);
      await spend(10);
      time.advance(dayMs - 1);
      await spend(100);
      const days = await readUsage({ accountId, days: 3 });
      assert.deepEqual(
        days.map(({ date, reserved }) => [date, reserved]),
        [
          ['2026-01-30', 0],
          ['2026-01-31', 1],
          ['2026-02-01', 110],
        ],
      );
      await close();
    });

    it('what was summed is not read again, and a longer ledger costs a few reads more', async () => {
      const { time, accountId, readUsage, spend, takeReads, close } = await setUp();
      for (let n = 0; n < 40; n += 1) {
        await spend(1);
        time.advance(dayMs);
      }
      takeReads();
      const thirty = await readUsage({ accountId, days: 30 });
      const first = takeReads();
      assert.ok(first <= 9, `${first} reads: the count, a search by halving and one slice`);
      assert.deepEqual(await readUsage({ accountId, days: 30 }), thirty);
      assert.equal(takeReads(), 1, 'the count alone');
      await spend(5);
      assert.equal((await readUsage({ accountId, days: 7 })).at(-1)?.reserved, 5);
      assert.equal(takeReads(), 2, 'the count and what is new');
      await close();
    });

    it('more days than were asked for before are summed anew', async () => {
      const { time, accountId, readUsage, spend, close } = await setUp();
      await spend(3);
      time.advance(5 * dayMs);
      await spend(4);
      assert.deepEqual(
        (await readUsage({ accountId, days: 1 })).map(({ reserved }) => reserved),
        [4],
      );
      const six = (await readUsage({ accountId, days: 6 })).map(({ reserved }) => reserved);
      assert.deepEqual(six, [3, 0, 0, 0, 0, 4]);
      await close();
    });

    it('a long ledger is summed slice by slice, to the last entry', async () => {
      const { time, accountId, readUsage, spend, takeReads, execute, close } = await setUp();
      await spend(7);
      const at = time.wallClock.now();
      await execute(`with recursive counted (n) as (select 1 union all select n + 1 from counted where n < 25000)
        insert into entry (account_id, number, kind, credits, op, hold_id, at)
        select '${accountId}', 2 + n, 'charge', 1, 'many:' || n,
          (select id from hold where account_id = '${accountId}'), ${at} from counted`);
      await execute(`update account set entries = 25002 where id = '${accountId}'`);
      takeReads();
      const [today] = await readUsage({ accountId, days: 1 });
      assert.deepEqual([today?.reserved, today?.charged], [7, 25_000]);
      assert.ok(takeReads() <= 1 + 16 + 13, 'the count, a search by halving and thirteen slices');
      await close();
    });

    it('an account without entries, and one that is not there, used nothing', async () => {
      const { readUsage, close } = await setUp();
      const days = await readUsage({ accountId: 'nobody', days: 2 });
      assert.deepEqual(
        days.map(({ charged, reserved, released }) => charged + reserved + released),
        [0, 0],
      );
      await close();
    });
  });
}
