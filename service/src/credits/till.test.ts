import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StoreUnavailableError } from '../db/store-unavailable-error.ts';
import type { Store } from '../db/store.ts';
import { statement } from '../db/statement.ts';
import { databases } from '../../test/support/databases.ts';
import { createTestClock } from '../../../engine/test/support/test-clock.ts';
import { openAccount } from '../../test/support/open-account.ts';
import { audit } from '../upkeep/audit.ts';
import { readBalance } from './read-balance.ts';
import { createTill } from './till.ts';

const ledgerOf = statement((db, arg: { account: string }) =>
  db
    .selectFrom('entry')
    .select(['number', 'kind', 'credits', 'op', 'hold_id'])
    .where('account_id', '=', arg.account)
    .where('kind', '<>', 'grant')
    .orderBy('number'),
);

for (const database of databases) {
  describe(`the till on ${database.name}`, () => {
    async function setUp(credits: number) {
      const { store, close } = await database.open();
      const { wallClock } = createTestClock();
      const parts = { store, wallClock, actor: 'operator' as const };
      const { accountId } = await openAccount(parts, credits);
      let transactions = 0;
      const counting: Pick<Store, 'write'> = {
        write: (operation, serialKey) => ((transactions += 1), store.write(operation, serialKey)),
      };
      const till = createTill({ store: counting, wallClock });
      const spendMany = (holds: number, named = 'hold') =>
        Promise.all(
          Array.from({ length: holds }, (_, index) => till.spend({ accountId, holdId: `${named}-${index}` })),
        );
      const balance = async () => {
        const { available, reserved, spent } = (await readBalance(store.read, accountId))!;
        return [available, reserved, spent];
      };
      const finish = async () => {
        assert.deepEqual((await audit(parts)).violations, []);
        await close();
      };
      const countTransactions = () => transactions;
      return { store, wallClock, parts, accountId, till, spendMany, balance, countTransactions, finish };
    }

    it('those who come together are paid for together, each with its own hold and entries', async () => {
      const { store, accountId, spendMany, balance, countTransactions, finish } = await setUp(1_000);
      for (const holds of [1, 2, 8, 9, 64])
        assert.ok((await spendMany(holds, `of-${holds}`)).every(({ kind }) => kind === 'spent'));
      assert.equal(countTransactions(), 5);
      assert.deepEqual(await balance(), [1_000 - 84, 0, 84]);
      const entries = await store.read.all(ledgerOf, { account: accountId });
      assert.deepEqual(
        entries.slice(0, 4).map(({ kind, credits, op, hold_id: hold }) => [kind, credits, op, hold]),
        [
          ['reserve', 1, 'reserve:of-1-0', 'of-1-0'],
          ['charge', 1, 'charge:of-1-0', 'of-1-0'],
          ['reserve', 1, 'reserve:of-2-0', 'of-2-0'],
          ['charge', 1, 'charge:of-2-0', 'of-2-0'],
        ],
      );
      assert.equal(new Set(entries.map(({ op }) => op)).size, 168);
      await finish();
    });

    it('1,000 at once on 100 credits: exactly 100', async () => {
      const { spendMany, balance, finish } = await setUp(100);
      const answers = await spendMany(1_000);
      assert.equal(answers.filter(({ kind }) => kind === 'spent').length, 100);
      assert.equal(answers.filter(({ kind }) => kind === 'insufficient_credits').length, 900);
      assert.deepEqual(await balance(), [0, 0, 100]);
      await finish();
    });

    it('accounts do not pay for each other', async () => {
      const { parts, accountId, till, balance, finish } = await setUp(1);
      const poor = await openAccount(parts, 0);
      const answers = await Promise.all([
        till.spend({ accountId: poor.accountId, holdId: 'poor' }),
        till.spend({ accountId, holdId: 'rich' }),
      ]);
      assert.deepEqual(
        answers.map(({ kind }) => kind),
        ['insufficient_credits', 'spent'],
      );
      assert.deepEqual(await balance(), [0, 0, 1]);
      await finish();
    });

    it('one that throws undoes all who pay with it, and only them', async () => {
      const { spendMany, till, accountId, balance, finish } = await setUp(10);
      await spendMany(1, 'taken');
      const together = await Promise.allSettled([
        till.spend({ accountId, holdId: 'fresh' }),
        till.spend({ accountId, holdId: 'taken-0' }),
      ]);
      assert.deepEqual(
        together.map(({ status }) => status),
        ['rejected', 'rejected'],
      );
      assert.deepEqual(await balance(), [9, 0, 1]);
      assert.equal((await till.spend({ accountId, holdId: 'fresh' })).kind, 'spent');
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

    it('a store that fails is everybody’s who waited, and is asked anew by whoever comes next', async () => {
      const { store, wallClock, accountId, finish } = await setUp(10);
      let failing = true;
      const flaky: Pick<Store, 'write'> = {
        write: (operation, serialKey) =>
          failing
            ? Promise.reject(new StoreUnavailableError('unreachable'))
            : store.write(operation, serialKey),
      };
      const till = createTill({ store: flaky, wallClock });
      const waiting = ['one', 'two'].map((holdId) => till.spend({ accountId, holdId }));
      for (const answer of waiting) await assert.rejects(answer, StoreUnavailableError);
      failing = false;
      assert.equal((await till.spend({ accountId, holdId: 'one' })).kind, 'spent');
      await finish();
    });
  });
}
