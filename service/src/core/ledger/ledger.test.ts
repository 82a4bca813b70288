import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { audit } from '../../start/whole-store.ts';
import { databases } from '../../../test/support/databases.ts';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { openAccount } from '../../../test/support/open-account.ts';
import { freezeAccount } from './freeze-account.ts';
import { grant } from './grant.ts';
import { grantCredits } from './grant-credits.ts';
import { readBalance } from './read-balance.ts';
import { releaseExpiredHolds, releaseHoldsOf } from './release-abandoned-holds.ts';
import { reserve } from './reserve.ts';
import { settle } from './settle.ts';
import { showCredits } from './read-balance.ts';

for (const database of databases) {
  describe(`the ledger on ${database.name}`, () => {
    async function setUp(credits: number) {
      const { store, execute, damage, close } = await database.open();
      const time = createTestClock();
      const parts = { store, wallClock: time.wallClock, actor: 'operator' as const };
      const { accountId } = await openAccount(parts, credits);
      const now = () => time.wallClock.now();
      const take = (amount: number, processId = 'here') =>
        store.write((tx) =>
          reserve(tx, {
            accountId,
            credits: amount,
            key: { id: 'key', capped: false },
            ifAvailable: amount,
            keeper: { processId, expiresAt: now() + 1_000 },
            now: now(),
          }),
        );
      const end = (holdId: string, charge: number) =>
        store.write((tx) => settle(tx, { accountId, holdId, charge, now: now() }));
      const hold = async (amount: number, processId?: string) => {
        const answer = await take(amount, processId);
        assert.ok(answer.kind === 'reserved');
        return answer.holdId;
      };
      const balance = () => readBalance(store.read, accountId);
      const finish = async () => {
        assert.deepEqual((await audit(parts)).violations, []);
        await close();
      };
      return { store, execute, damage, close, time, parts, accountId, now, take, end, hold, balance, finish };
    }

    it('1,000 concurrent reservations on 100 credits: exactly 100', async () => {
      const { take, balance, finish } = await setUp(100);
      const answers = await Promise.all(Array.from({ length: 1_000 }, () => take(1)));
      assert.equal(answers.filter((answer) => answer.kind === 'reserved').length, 100);
      assert.equal(answers.filter((answer) => answer.kind === 'insufficient_credits').length, 900);
      assert.deepEqual({ ...(await balance()) }, { granted: 100, available: 0, reserved: 100, spent: 0 });
      await finish();
    });

    it('settling charges what is said and gives the rest back', async () => {
      const { hold, end, balance, finish } = await setUp(10);
      assert.deepEqual(await end(await hold(5), 3), { kind: 'settled', charged: 3, released: 2 });
      assert.deepEqual({ ...(await balance()) }, { granted: 10, available: 7, reserved: 0, spent: 3 });
      await finish();
    });

    it('closing twice moves credits once and says so', async () => {
      const { hold, end, balance, finish } = await setUp(10);
      const holdId = await hold(1);
      const answers = await Promise.all([end(holdId, 1), end(holdId, 1), end(holdId, 0)]);
      assert.deepEqual(
        answers.map(({ kind }) => kind),
        ['settled', 'already_settled', 'already_settled'],
      );
      assert.deepEqual({ ...(await balance()) }, { granted: 10, available: 9, reserved: 0, spent: 1 });
      await finish();
    });

    it('another account cannot settle a hold', async () => {
      const { store, parts, hold, now, finish } = await setUp(10);
      const other = await openAccount(parts, 10);
      const holdId = await hold(1);
      const answer = await store.write((tx) =>
        settle(tx, { accountId: other.accountId, holdId, charge: 1, now: now() }),
      );
      assert.equal(answer.kind, 'already_settled');
      await finish();
    });

    it('charging more than is held is refused and changes nothing', async () => {
      const { hold, end, balance, finish } = await setUp(10);
      const holdId = await hold(2);
      await assert.rejects(end(holdId, 3));
      assert.deepEqual({ ...(await balance()) }, { granted: 10, available: 8, reserved: 2, spent: 0 });
      await finish();
    });

    for (const amount of [0, -1, 0.5, Number.NaN, Infinity, -Infinity, 2 ** 53, 1e12 + 1]) {
      it(`an amount of ${amount} is refused everywhere`, async () => {
        const { store, accountId, take, hold, end, parts, now, balance, finish } = await setUp(10);
        const holdId = await hold(1);
        const before = await balance();
        await assert.rejects(take(amount));
        await assert.rejects(grantCredits({ accountId, credits: amount }, parts));
        await assert.rejects(
          store.write((tx) =>
            grant(tx, { accountId, credits: amount, op: 'x', actor: 'operator', now: now() }),
          ),
        );
        if (amount !== 0) await assert.rejects(end(holdId, amount));
        assert.deepEqual(await balance(), before);
        await finish();
      });
    }

    it('no account holds more than the ledger counts', async () => {
      const { accountId, parts, finish } = await setUp(10);
      assert.equal((await grantCredits({ accountId, credits: 1e12 - 9 }, parts)).kind, 'too_many_credits');
      assert.equal((await grantCredits({ accountId, credits: 1e12 - 10 }, parts)).kind, 'granted');
      await finish();
    });

    it('the same grant is given once', async () => {
      const { store, accountId, now, balance, finish } = await setUp(10);
      const give = () =>
        store.write((tx) => grant(tx, { accountId, credits: 5, op: 'gift', actor: 'operator', now: now() }));
      const answers = await Promise.all([give(), give()]);
      assert.deepEqual(
        answers.map(({ kind }) => kind),
        ['granted', 'already_granted'],
      );
      assert.equal((await balance())?.granted, 15);
      await finish();
    });

    it('unknown accounts are told so', async () => {
      const { parts, finish } = await setUp(10);
      assert.equal(
        (await grantCredits({ accountId: 'nobody', credits: 1 }, parts)).kind,
        'account_not_found',
      );
      assert.equal((await showCredits('nobody', parts)).kind, 'account_not_found');
      await finish();
    });

    it('a hold past its time goes back, and a late settlement finds it gone', async () => {
      const { store, time, hold, end, balance, now, finish } = await setUp(10);
      const holdId = await hold(1);
      time.advance(999);
      assert.equal(await releaseExpiredHolds(now(), { store }), 0);
      time.advance(1);
      assert.equal(await releaseExpiredHolds(now(), { store }), 1);
      assert.equal((await end(holdId, 1)).kind, 'already_settled');
      assert.equal((await balance())?.available, 10);
      await finish();
    });

    it('the holds of one process go back without touching another’s', async () => {
      const { store, hold, balance, now, finish } = await setUp(10);
      await hold(2, 'dead');
      await hold(3, 'alive');
      await releaseHoldsOf({ processId: 'dead', now: now() }, { store });
      assert.deepEqual({ ...(await balance()) }, { granted: 10, available: 7, reserved: 3, spent: 0 });
      await finish();
    });

    it('a frozen account reserves nothing, and what it holds is still settled', async () => {
      const { store, accountId, take, hold, end, now, finish } = await setUp(10);
      const holdId = await hold(1);
      const freeze = () => store.write((tx) => freezeAccount(tx, { accountId, because: 'I2', now: now() }));
      assert.deepEqual([await freeze(), await freeze()], [true, false]);
      assert.equal((await take(1)).kind, 'account_frozen');
      assert.equal((await end(holdId, 1)).kind, 'settled');
      await finish();
    });

    it('the tables themselves refuse to change or delete what was written', async () => {
      const { execute, hold, end, finish } = await setUp(10);
      await end(await hold(1), 1);
      for (const [sql, saying] of [
        ['update entry set credits = 2', /never changed/],
        ['delete from entry', /never deleted/],
        ['update hold set charged = 0', /never changed/],
        ['delete from hold', /never deleted/],
        ['update account set available = available + 1', /check/i],
        ['update account set available = -1, granted = 0, reserved = 0, spent = 1', /check/i],
        ["update account set available = 'many'", /cannot store TEXT|invalid input syntax/],
        [
          'insert into entry select account_id, number + 1, kind, credits, op, hold_id, at from entry limit 1',
          /unique/i,
        ],
      ] as const) {
        await assert.rejects(async () => execute(sql), saying, sql);
      }
      await finish();
    });

    it('the audit finds every way in which books can be wrong', async () => {
      const wrongs: [string, string][] = [
        ['update account set spent = spent + 1', 'I1'],
        ['update account set granted = granted + 1, available = available + 1', 'I2'],
        ['update account set available = available - 1, spent = spent + 1', 'I13'],
        ['update account set entries = entries + 1', 'I10'],
        ["delete from entry where kind = 'grant'", 'I10'],
        ["update hold set credits = credits + 1 where state = 'open'", 'I3'],
        ['update hold set charged = 0, released = 1 where charged = 1', 'I4'],
        ["update hold set state = 'open'", 'I4'],
        ["update entry set credits = 2 where kind = 'charge'", 'I4'],
      ];
      for (const [sql, invariant] of wrongs) {
        const { damage, hold, end, parts, close } = await setUp(10);
        await end(await hold(1), 1);
        await hold(1);
        await damage(sql);
        const found = (await audit(parts)).violations.map((violation) => violation.invariant);
        assert.ok(found.includes(invariant), `${sql}: expected ${invariant}, found ${found.join(' ')}`);
        await close();
      }
    });
  });
}
