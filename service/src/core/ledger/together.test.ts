import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { databases, type TestDatabase } from '../../../test/support/databases.ts';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { openAccount } from '../../../test/support/open-account.ts';
import { statement, type Tx } from '../store/statement.ts';
import { StoreUnavailableError } from '../store/store-unavailable-error.ts';
import { audit } from '../../start/whole-store.ts';
import { freezeAccount } from './freeze-account.ts';
import { readBalance } from './read-balance.ts';
import { reserve } from './reserve.ts';
import { settle } from './settle.ts';

const ledgerOf = statement((db, arg: { account: string }) =>
  db
    .selectFrom('entry')
    .select(['number', 'kind', 'credits', 'op', 'hold_id'])
    .where('account_id', '=', arg.account)
    .where('kind', '<>', 'grant')
    .orderBy('number'),
);

const touchedAt = statement((db, arg: { account: string }) =>
  db.selectFrom('account').select('touched_at').where('id', '=', arg.account),
);

/** Shows every statement before it is run; what `watch` throws, the statement fails with. */
function watching(watch: (sql: string) => void): Parameters<TestDatabase['open']>[0] {
  return {
    wrap: (connection) => ({
      ...connection,
      execute: async (sql, values) => {
        watch(sql);
        return connection.execute(sql, values);
      },
    }),
  };
}

for (const database of databases) {
  describe(`credits moved together on ${database.name}`, () => {
    async function setUp(credits: number, watch: (sql: string) => void = () => undefined) {
      const { store, close } = await database.open(watching((sql) => watch(sql)));
      const time = createTestClock();
      const { wallClock } = time;
      const parts = { store, wallClock, actor: 'operator' as const };
      const { accountId } = await openAccount(parts, credits);
      const keeper = { processId: 'here', expiresAt: 2 ** 50 };
      /** Reserves a credit and charges it in the same transaction. */
      const pay = async (tx: Tx, holdId: string, account = accountId) => {
        const [now, id] = [wallClock.now(), account];
        const held = await reserve(tx, {
          accountId: id,
          credits: 1,
          key: { id: 'key', capped: false },
          ifAvailable: 1,
          keeper,
          holdId,
          now,
        });
        if (held.kind !== 'reserved') return held;
        return settle(tx, { accountId: id, holdId, charge: 1, now });
      };
      const spend = (holdId: string, account = accountId) =>
        store.write((tx) => pay(tx, holdId, account), account);
      const spendMany = (holds: number, named = 'hold') =>
        Promise.all(Array.from({ length: holds }, (_, index) => spend(`${named}-${index}`)));
      const balance = async () => {
        const { available, reserved, spent } = (await readBalance(store.read, accountId))!;
        return [available, reserved, spent];
      };
      const finish = async () => {
        assert.deepEqual((await audit(parts)).violations, []);
        await close();
      };
      return { store, time, parts, keeper, accountId, spend, spendMany, balance, finish };
    }

    it('cost two changes of the account, however many they are, and each has its own hold and entries', async () => {
      let changes = 0;
      const { store, accountId, spendMany, balance, finish } = await setUp(1_000, (sql) => {
        if (sql.startsWith('update "account"')) changes += 1;
      });
      changes = 0;
      for (const holds of [1, 2, 8, 9, 64])
        assert.ok((await spendMany(holds, `of-${holds}`)).every(({ kind }) => kind === 'settled'));
      assert.equal(changes, 10);
      assert.deepEqual(await balance(), [1_000 - 84, 0, 84]);
      const entries = await store.read.all(ledgerOf, { account: accountId });
      assert.deepEqual(
        entries.slice(2, 6).map(({ kind, credits, op, hold_id: hold }) => [kind, credits, op, hold]),
        [
          ['reserve', 1, 'reserve:of-2-0', 'of-2-0'],
          ['reserve', 1, 'reserve:of-2-1', 'of-2-1'],
          ['charge', 1, 'charge:of-2-0', 'of-2-0'],
          ['charge', 1, 'charge:of-2-1', 'of-2-1'],
        ],
      );
      assert.equal(new Set(entries.map(({ op }) => op)).size, 168);
      await finish();
    });

    it('1,000 at once on 100 credits: exactly 100', async () => {
      const { spendMany, balance, finish } = await setUp(100);
      const answers = await spendMany(1_000);
      assert.equal(answers.filter(({ kind }) => kind === 'settled').length, 100);
      assert.equal(answers.filter(({ kind }) => kind === 'insufficient_credits').length, 900);
      assert.deepEqual(await balance(), [0, 0, 100]);
      await finish();
    });

    it('are answered as if one had come after the other, whatever each asks for', async () => {
      const { store, parts, keeper, finish } = await setUp(0);
      const amounts = fc.record({ credits: fc.integer({ min: 1, max: 4 }), more: fc.nat({ max: 4 }) });
      const property = fc.asyncProperty(
        fc.nat({ max: 20 }),
        fc.array(amounts, { minLength: 1, maxLength: 8 }),
        async (granted, wanted) => {
          const { accountId } = await openAccount(parts, granted);
          let available = granted;
          const expected = wanted.map(({ credits, more }) => {
            if (available < credits + more) return 'insufficient_credits';
            available -= credits;
            return 'reserved';
          });
          const answers = await store.write(
            (tx) =>
              Promise.all(
                wanted.map(({ credits, more }) =>
                  reserve(tx, {
                    accountId,
                    credits,
                    key: { id: 'key', capped: false },
                    ifAvailable: credits + more,
                    keeper,
                    now: 1,
                  }),
                ),
              ),
            accountId,
          );
          assert.deepEqual(
            answers.map(({ kind }) => kind),
            expected,
          );
          assert.equal((await readBalance(store.read, accountId))?.available, available);
        },
      );
      await fc.assert(property, { numRuns: 40 });
      await finish();
    });

    it('of two who settle a hold in the same moment one is the first, and the other is told so', async () => {
      const { store, accountId, keeper, time, balance, finish } = await setUp(10);
      const now = time.wallClock.now();
      const held = {
        accountId,
        credits: 3,
        key: { id: 'key', capped: false },
        ifAvailable: 3,
        keeper,
        holdId: 'one',
        now,
      };
      await store.write((tx) => reserve(tx, held), accountId);
      const settlement = { accountId, holdId: 'one', charge: 1, now };
      const answers = await store.write(
        (tx) => Promise.all([settle(tx, settlement), settle(tx, settlement)]),
        accountId,
      );
      const first = { kind: 'settled', charged: 1, released: 2 };
      assert.deepEqual(answers, [first, { kind: 'already_settled' }]);
      assert.deepEqual(await balance(), [9, 0, 1]);
      await finish();
    });

    it('accounts do not pay for each other', async () => {
      const { parts, spend, balance, finish } = await setUp(1);
      const poor = await openAccount(parts, 0);
      const answers = await Promise.all([spend('poor', poor.accountId), spend('rich')]);
      assert.deepEqual(
        answers.map(({ kind }) => kind),
        ['insufficient_credits', 'settled'],
      );
      assert.deepEqual(await balance(), [0, 0, 1]);
      await finish();
    });

    it('a frozen account pays for none of them', async () => {
      const { store, accountId, spendMany, balance, finish } = await setUp(10);
      await store.write((tx) => freezeAccount(tx, { accountId, because: 'I2', now: 1 }));
      for (const answer of await spendMany(5)) assert.equal(answer.kind, 'account_frozen');
      assert.deepEqual(await balance(), [10, 0, 0]);
      await finish();
    });

    it('the account is touched when credits are reserved and when they are settled', async () => {
      const { store, time, keeper, accountId, finish } = await setUp(10);
      const touched = async () => (await store.read.first(touchedAt, { account: accountId }))?.touched_at;
      time.advance(1_000);
      const now = time.wallClock.now();
      const held = { accountId, credits: 1, key: { id: 'key', capped: false }, ifAvailable: 1, keeper, now };
      await store.write((tx) =>
        Promise.all([reserve(tx, { ...held, holdId: 'a' }), reserve(tx, { ...held, holdId: 'b' })]),
      );
      assert.equal(await touched(), now);
      await store.write((tx) =>
        Promise.all(['a', 'b'].map((holdId) => settle(tx, { accountId, holdId, charge: 1, now: now + 500 }))),
      );
      assert.equal(await touched(), now + 500);
      await finish();
    });

    it('one that cannot be written is refused alone', async () => {
      const { spend, spendMany, balance, finish } = await setUp(10);
      await spendMany(1, 'taken');
      const together = await Promise.allSettled([spend('fresh'), spend('taken-0'), spend('other')]);
      assert.deepEqual(
        together.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      assert.deepEqual(await balance(), [7, 0, 3]);
      await finish();
    });

    it('undone because of somebody else and run again, a credit is spent once', async () => {
      const { store, accountId, spendMany, balance, finish } = await setUp(10);
      const fault = new Error('somebody else’s');
      const [spent, other] = await Promise.allSettled([
        spendMany(3),
        store.write(() => Promise.reject(fault), accountId),
      ]);
      assert.deepEqual([spent.status, other.status], ['fulfilled', 'rejected']);
      assert.deepEqual(await balance(), [7, 0, 3]);
      await finish();
    });

    it('a store that fails is told to all who waited, and asked anew by whoever comes next', async () => {
      let failing = false;
      const { spend, balance, finish } = await setUp(10, (sql) => {
        if (failing && sql.startsWith('update "hold"')) throw new StoreUnavailableError('failing');
      });
      failing = true;
      for (const answer of await Promise.allSettled(['one', 'two'].map((holdId) => spend(holdId))))
        assert.ok(answer.status === 'rejected' && answer.reason instanceof StoreUnavailableError);
      failing = false;
      assert.equal((await spend('one')).kind, 'settled');
      assert.deepEqual(await balance(), [9, 0, 1]);
      await finish();
    });
  });
}
