import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { databases, sqlite, type TestStore } from '../../../test/support/databases.ts';
import { openAccount } from '../../../test/support/open-account.ts';
import { statement } from '../store/statement.ts';
import { StoreUnavailableError } from '../store/store-unavailable-error.ts';
import type { Store } from '../store/store.ts';
import { changeKey } from '../keys/change-key.ts';
import { issueKey } from '../keys/issue-key.ts';
import { listKeys } from '../keys/list-keys.ts';
import { openStore } from '../../start/open-store.ts';
import { audit } from '../../start/whole-store.ts';
import { reserve } from './reserve.ts';
import { settle } from './settle.ts';

const dayMs = 86_400_000;

const countHolds = statement((db, arg: { key: string }) =>
  db
    .selectFrom('hold')
    .select((eb) => [eb.fn.countAll<number>().as('holds'), eb.fn.sum<number>('charged').as('charged')])
    .where('key_id', '=', arg.key),
);

/** On a machine with much else to do the store turns some of a thousand away, who come again: nothing was done for them. */
async function persist<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || error.fault === 'unconfirmed') throw error;
    }
  }
}

for (const database of databases) {
  describe(`a cap of credits a day on ${database.name}`, () => {
    let opened: TestStore;
    before(async () => {
      opened = await database.open();
    });
    after(() => opened.close());

    async function setUp(cap: number | null, credits = 10_000) {
      const { store } = opened;
      const time = createTestClock(Date.UTC(2026, 0, 31, 12));
      const parts = { store, wallClock: time.wallClock, actor: 'operator' as const };
      const { accountId } = await openAccount(parts, credits);
      const limits = { creditsPerDay: cap };
      const issued = await issueKey({ accountId, mode: 'live', limits }, parts);
      assert.ok(issued.kind === 'issued');
      const { keyId } = issued;
      const key = { id: keyId, capped: cap !== null };
      const hold = (
        wanted: number,
        { ifAvailable = wanted, through = store, now = time.wallClock.now() } = {},
      ) =>
        through.write(
          (tx) =>
            reserve(tx, {
              accountId,
              key,
              credits: wanted,
              ifAvailable,
              keeper: null,
              now,
            }),
          accountId,
        );
      const held = async (wanted: number) => {
        const answer = await hold(wanted);
        assert.ok(answer.kind === 'reserved', answer.kind);
        return answer.holdId;
      };
      const end = (holdId: string, charge: number, through: Store = store) =>
        through.write(
          (tx) => settle(tx, { accountId, holdId, charge, now: time.wallClock.now() }),
          accountId,
        );
      const counted = async () =>
        (await listKeys(accountId, parts)).find((listed) => listed.keyId === keyId)?.creditsToday;
      return { store, time, parts, accountId, keyId, hold, held, end, counted };
    }

    it('1,000 at once on a cap of 100, from two processes: exactly 100 are charged', async () => {
      const { store, keyId, hold, end, counted, parts } = await setUp(100);
      // SQLite has one process that writes; PostgreSQL has as many as there are.
      const other = database.name === 'SQLite' ? store : await openStore(opened.settings);
      try {
        const answers = await Promise.all(
          Array.from({ length: 1_000 }, async (_, n) => {
            const through = n % 2 === 0 ? store : other;
            const answer = await persist(() => hold(1, { through }));
            if (answer.kind === 'reserved') await persist(() => end(answer.holdId, 1, through));
            return answer.kind;
          }),
        );
        const times = (kind: string) => answers.filter((answer) => answer === kind).length;
        assert.deepEqual([times('reserved'), times('key_limit_reached')], [100, 900]);
        assert.deepEqual(await store.read.first(countHolds, { key: keyId }), { holds: 100, charged: 100 });
        assert.equal(await counted(), 100);
        assert.deepEqual((await audit(parts)).violations, []);
      } finally {
        if (other !== store) await other.close();
      }
    });

    it('what is held counts, and what is released can be used again', async () => {
      const { hold, held, end, counted } = await setUp(10);
      const eight = await held(8);
      assert.deepEqual(await hold(3), { kind: 'key_limit_reached', retryAfterSeconds: 12 * 3_600 });
      const two = await held(2);
      assert.equal(await counted(), 10);
      await end(eight, 5);
      assert.equal(await counted(), 7);
      await end(eight, 5);
      assert.equal(await counted(), 7, 'closing twice gives back once');
      await end(two, 0);
      assert.equal(await counted(), 5);
      assert.equal((await hold(6)).kind, 'key_limit_reached');
      await held(5);
    });

    it('a task takes all of its parts or none', async () => {
      const { hold, counted } = await setUp(10);
      assert.equal((await hold(4, { ifAvailable: 11 })).kind, 'key_limit_reached');
      assert.equal(await counted(), 0);
      assert.equal((await hold(4, { ifAvailable: 10 })).kind, 'reserved');
      assert.equal(await counted(), 4);
    });

    it('where the account is short of credits, nothing is counted', async () => {
      const { hold, counted } = await setUp(100, 3);
      assert.equal((await hold(4)).kind, 'insufficient_credits');
      assert.equal(await counted(), 0);
      const answers = await Promise.all([hold(1), hold(1), hold(1), hold(1), hold(1)]);
      assert.deepEqual(answers.map(({ kind }) => kind).sort(), [
        'insufficient_credits',
        'insufficient_credits',
        'reserved',
        'reserved',
        'reserved',
      ]);
      assert.equal(await counted(), 3);
    });

    it('a new day of UTC counts anew, and a late release belongs to the day before', async () => {
      const { time, held, hold, end, counted } = await setUp(10);
      const before = await held(10);
      time.advance(dayMs / 2 - 1);
      assert.deepEqual(await hold(1), { kind: 'key_limit_reached', retryAfterSeconds: 1 });
      time.advance(1);
      assert.equal(await counted(), 0);
      await held(7);
      await end(before, 0);
      assert.equal(await counted(), 7);
      assert.equal((await hold(4)).kind, 'key_limit_reached');
    });

    it('a clock that is behind counts for the day that has begun', async () => {
      const { time, held, counted, hold } = await setUp(10);
      time.advance(dayMs);
      await held(6);
      const now = Date.UTC(2026, 0, 31, 23);
      assert.equal((await hold(5, { now })).kind, 'key_limit_reached');
      assert.equal((await hold(4, { now })).kind, 'reserved');
      assert.equal(await counted(), 10);
    });

    it('a raised cap counts at once, and one that is taken away refuses nothing', async () => {
      const { parts, keyId, held, hold } = await setUp(10);
      await held(10);
      await changeKey({ keyId, limits: { creditsPerDay: 12 } }, parts);
      await held(2);
      assert.equal((await hold(1)).kind, 'key_limit_reached');
      await changeKey({ keyId, limits: { creditsPerDay: null } }, parts);
      await held(100);
    });
  });
}

describe('a key without a cap', () => {
  it('costs no statement more', async () => {
    const seen: string[] = [];
    const { store, close } = await sqlite.open({
      wrap: (connection) => ({
        ...connection,
        execute: (sql, values) => {
          seen.push(sql);
          return connection.execute(sql, values);
        },
      }),
    });
    const { wallClock } = createTestClock();
    const { accountId } = await openAccount({ store, wallClock }, 10);
    const now = wallClock.now();
    seen.length = 0;
    const key = { id: 'key', capped: false };
    await store.write(async (tx) => {
      const held = await reserve(tx, { accountId, key, credits: 2, ifAvailable: 2, keeper: null, now });
      assert.ok(held.kind === 'reserved');
      await settle(tx, { accountId, holdId: held.holdId, charge: 1, now });
    }, accountId);
    // A debit, a hold and its entry; the hold closed, the credits moved, two entries.
    const changes = seen.filter((sql) => /^(?:insert|update)/i.test(sql));
    assert.ok(changes.length <= 7, changes.join('\n'));
    assert.ok(!changes.some((sql) => sql.includes('api_key')), changes.join('\n'));
    await close();
  });
});
