import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Engine, Outcome } from '@mailproof/engine';
import { freezeAccount } from '../credits/freeze-account.ts';
import { grantCredits } from '../credits/grant-credits.ts';
import { readBalance } from '../credits/read-balance.ts';
import type { Store } from '../db/store.ts';
import { StoreUnavailableError } from '../db/store-unavailable-error.ts';
import type { Caller } from '../keys/authenticate.ts';
import { addressOf } from '../../test/support/address-of.ts';
import { until } from '../../test/support/until.ts';
import { databases } from '../../test/support/databases.ts';
import { createTestClock } from '../../../engine/test/support/test-clock.ts';
import { openAccount } from '../../test/support/open-account.ts';
import { safe, timeout, unavailable, unknown } from '../../test/support/outcomes.ts';
import { audit } from '../upkeep/audit.ts';
import { createSweep } from '../upkeep/sweep.ts';
import { createSlots } from './slots.ts';
import { verifyOne, type VerifyOneParts, type VerifyOneRequest } from './verify-one.ts';

const email = 'someone@example.com';

for (const database of databases) {
  describe(`a single verification on ${database.name}`, () => {
    async function setUp(credits = 10) {
      const { store, close } = await database.open();
      const time = createTestClock();
      const { wallClock } = time;
      const { accountId, live, test } = await openAccount({ store, wallClock }, credits);
      const registry = await store.joinRegistry();
      const asked: string[] = [];
      const answering = (answer: (asked: string) => Outcome | Promise<Outcome>): Pick<Engine, 'verify'> => ({
        verify: async (address) => (asked.push(address), answer(address)),
      });
      const parts: VerifyOneParts = {
        store,
        engine: answering(safe),
        recall: () => undefined,
        sandbox: answering(unknown),
        slots: createSlots({ clock: time, limits: { total: 1_000, perAccount: 1_000, bulk: 1_000 } }),
        clock: time,
        wallClock,
        processId: registry.ownId,
        singleTimeoutMs: 30_000,
      };
      const ask = (
        caller: Caller,
        more: Partial<VerifyOneRequest> = {},
        other: Partial<VerifyOneParts> = {},
      ) =>
        verifyOne(
          {
            requestId: randomUUID(),
            caller,
            address: addressOf(email),
            idempotency: undefined,
            explain: false,
            signal: new AbortController().signal,
            ...more,
          },
          { ...parts, ...other },
        );
      const balance = async () => {
        const { available, reserved, spent } = (await readBalance(store.read, accountId))!;
        return [available, reserved, spent];
      };
      const sweep = createSweep({ store, registry, wallClock, taskRetentionMs: 1_000 });
      const finish = async () => {
        assert.deepEqual((await audit({ store })).violations, []);
        await registry.leave();
        await close();
      };
      return { store, time, accountId, live, test, asked, answering, parts, ask, balance, sweep, finish };
    }

    const withKey = (key: string, bodyHash = 'body') => ({ idempotency: { key, bodyHash } });

    it('a conclusive verdict costs one credit', async () => {
      const { ask, live, balance, finish } = await setUp();
      const answer = await ask(live);
      assert.ok(answer.kind === 'verified');
      assert.deepEqual([answer.verdict.status, answer.creditsUsed, answer.replayed], ['safe', 1, false]);
      assert.deepEqual(await balance(), [9, 0, 1]);
      await finish();
    });

    it('a verdict that is known at once is paid for in one transaction, and nobody is asked', async () => {
      const { ask, live, asked, balance, store, accountId, finish } = await setUp(1);
      let written = 0;
      const counting = {
        write: <T>(operation: Parameters<typeof store.write<T>>[0]) => {
          written += 1;
          return store.write(operation);
        },
      };
      const disposable = safe(email);
      assert.ok(disposable.kind === 'verdict');
      const knowing = {
        recall: () => disposable,
        store: counting,
      };
      const answer = await ask(live, { requestId: 'one' }, knowing);
      assert.ok(answer.kind === 'verified');
      assert.deepEqual([answer.verdict.status, answer.creditsUsed, written], ['safe', 1, 1]);
      assert.deepEqual(asked, []);
      assert.deepEqual(await balance(), [0, 0, 1]);
      assert.equal((await ask(live, {}, knowing)).kind, 'insufficient_credits');
      await store.write((tx) => freezeAccount(tx, { accountId, because: 'I2', now: 1 }));
      assert.equal((await ask(live, {}, knowing)).kind, 'account_frozen');
      await finish();
    });

    it('twins of a verdict that is known at once are charged once, though they come in the same moment', async () => {
      const { ask, live, balance, finish } = await setUp(5);
      const disposable = safe(email);
      assert.ok(disposable.kind === 'verdict');
      const knowing = { recall: () => disposable };
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => ask(live, withKey('twin'), knowing)),
      );
      const fresh = answers.filter((answer) => answer.kind === 'verified' && !answer.replayed);
      assert.equal(fresh.length, 1);
      for (const answer of answers)
        assert.ok(answer.kind === 'verified' || answer.kind === 'request_in_progress', answer.kind);
      assert.deepEqual(await balance(), [4, 0, 1]);
      await finish();
    });

    it('what is known to be inconclusive is asked for all the same, and costs nothing', async () => {
      const { ask, live, asked, answering, balance, finish } = await setUp();
      const guess = unknown(email);
      assert.ok(guess.kind === 'verdict');
      await ask(live, {}, { recall: () => guess, engine: answering(unknown) });
      assert.deepEqual(asked, [email]);
      assert.deepEqual(await balance(), [10, 0, 0]);
      await finish();
    });

    it('a test key is answered by the sandbox even where the engine knows', async () => {
      const { ask, test, balance, finish } = await setUp();
      const known = safe(email);
      assert.ok(known.kind === 'verdict');
      const answer = await ask(test, {}, { recall: () => known });
      assert.ok(answer.kind === 'verified' && answer.verdict.status === 'unknown');
      assert.deepEqual(await balance(), [10, 0, 0]);
      await finish();
    });

    it('an inconclusive one costs nothing', async () => {
      const { ask, live, answering, balance, finish } = await setUp();
      const answer = await ask(live, {}, { engine: answering(unknown) });
      assert.ok(answer.kind === 'verified');
      assert.deepEqual([answer.verdict.status, answer.creditsUsed], ['unknown', 0]);
      assert.deepEqual(await balance(), [10, 0, 0]);
      await finish();
    });

    for (const outcome of [timeout, unavailable]) {
      it(`${outcome.kind} costs nothing`, async () => {
        const { ask, live, answering, balance, finish } = await setUp();
        assert.deepEqual(await ask(live, {}, { engine: answering(() => outcome) }), { kind: outcome.kind });
        assert.deepEqual(await balance(), [10, 0, 0]);
        await finish();
      });
    }

    it('the credit is reserved and committed before anything is sent', async () => {
      const { ask, live, answering, balance, finish } = await setUp();
      let during: number[] = [];
      const engine = answering(async (address) => {
        during = await balance();
        return safe(address);
      });
      await ask(live, {}, { engine });
      assert.deepEqual(during, [9, 1, 0]);
      await finish();
    });

    it('without credits nothing is sent', async () => {
      const { ask, live, asked, finish } = await setUp(0);
      assert.deepEqual(await ask(live), { kind: 'insufficient_credits' });
      assert.deepEqual(asked, []);
      await finish();
    });

    it('a frozen account is refused', async () => {
      const { ask, live, store, accountId, asked, finish } = await setUp();
      await store.write((tx) => freezeAccount(tx, { accountId, because: 'I2', now: 1 }));
      assert.deepEqual(await ask(live), { kind: 'account_frozen' });
      assert.deepEqual(asked, []);
      await finish();
    });

    it('1,000 at once on 100 credits: 100 charged, 900 refused', async () => {
      const { ask, live, balance, asked, finish } = await setUp(100);
      const answers = await Promise.all(Array.from({ length: 1_000 }, () => ask(live)));
      assert.equal(answers.filter(({ kind }) => kind === 'verified').length, 100);
      assert.equal(answers.filter(({ kind }) => kind === 'insufficient_credits').length, 900);
      assert.equal(asked.length, 100);
      assert.deepEqual(await balance(), [0, 0, 100]);
      await finish();
    });

    it('a defect of the engine gives the credit back and is told', async () => {
      const { ask, live, balance, finish } = await setUp();
      const engine = { verify: () => Promise.reject(new Error('a defect')) };
      await assert.rejects(ask(live, withKey('k'), { engine }), /a defect/);
      assert.deepEqual(await balance(), [10, 0, 0]);
      assert.equal((await ask(live, withKey('k'))).kind, 'verified', 'and the key is free again');
      await finish();
    });

    it('a client that goes away gets its credit back', async () => {
      const { ask, live, balance, finish } = await setUp();
      const controller = new AbortController();
      const engine: Pick<Engine, 'verify'> = {
        verify: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
            controller.abort();
          }),
      };
      await assert.rejects(ask(live, { signal: controller.signal }, { engine }), { name: 'AbortError' });
      assert.deepEqual(await balance(), [10, 0, 0]);
      await finish();
    });

    it('waiting for a slot counts towards the deadline', async () => {
      const { ask, live, balance, time, asked, finish } = await setUp();
      const slots = createSlots({ clock: time, limits: { total: 1, perAccount: 1, bulk: 1 } });
      const patience = { deadline: Infinity, signal: new AbortController().signal };
      await slots.take({ urgency: 'single', account: 'other' }, patience);
      const answer = ask(live, {}, { slots });
      while (time.timers() === 0) await new Promise((resolve) => setImmediate(resolve));
      time.advance(30_000);
      assert.deepEqual(await answer, { kind: 'timeout' });
      assert.deepEqual([await balance(), asked], [[10, 0, 0], []]);
      await finish();
    });

    it('a verdict whose charge cannot be committed is withheld, and the sweeper returns the credit', async () => {
      const { ask, live, store, time, balance, sweep, finish } = await setUp();
      let writes = 0;
      const failing: Pick<Store, 'write'> = {
        write: (operation) =>
          (writes += 1) === 1 ? store.write(operation) : Promise.reject(new StoreUnavailableError('full')),
      };
      await assert.rejects(ask(live, {}, { store: failing }), StoreUnavailableError);
      assert.deepEqual(await balance(), [9, 1, 0]);
      time.advance(30_000 + 10_000);
      await sweep();
      assert.deepEqual(await balance(), [10, 0, 0]);
      await finish();
    });

    it('where its charge cannot be committed, nobody waits for the store once more', async () => {
      const { ask, live, store, finish } = await setUp();
      let writes = 0;
      const stuck: Pick<Store, 'write'> = {
        write: (operation) => {
          writes += 1;
          if (writes === 1) return store.write(operation);
          return writes === 2
            ? Promise.reject(new StoreUnavailableError('busy'))
            : new Promise(() => undefined);
        },
      };
      await assert.rejects(ask(live, {}, { store: stuck }), StoreUnavailableError);
      assert.equal(writes, 3, 'the credit’s return was tried');
      await finish();
    });

    it('a verdict that comes after the sweeper is withheld and not charged', async () => {
      const { ask, live, time, balance, sweep, answering, finish } = await setUp();
      const engine = answering(async (address) => {
        time.advance(60_000);
        await sweep();
        return safe(address);
      });
      assert.deepEqual(await ask(live, withKey('late'), { engine }), { kind: 'timeout' });
      assert.deepEqual(await balance(), [10, 0, 0]);
      assert.equal((await ask(live, withKey('late'))).kind, 'verified');
      await finish();
    });

    it('test keys ask the sandbox and move no credit', async () => {
      const { ask, test, balance, finish } = await setUp(0);
      const answer = await ask(test);
      assert.ok(
        answer.kind === 'verified' && answer.verdict.status === 'unknown' && answer.creditsUsed === 0,
      );
      const conclusive = await ask(
        test,
        {},
        { sandbox: { verify: (address) => Promise.resolve(safe(address)) } },
      );
      assert.ok(conclusive.kind === 'verified' && conclusive.creditsUsed === 0);
      assert.deepEqual(await balance(), [0, 0, 0]);
      await finish();
    });

    describe('with an idempotency key', () => {
      for (const mode of ['live', 'test'] as const) {
        it(`a repeat replays the first answer and is not charged (${mode})`, async () => {
          const { ask, asked, finish, ...callers } = await setUp();
          const first = await ask(callers[mode], withKey('k'));
          const again = await ask(callers[mode], withKey('k'));
          assert.ok(first.kind === 'verified');
          assert.deepEqual(again, { ...first, replayed: true });
          assert.equal(asked.length, 1);
          await finish();
        });
      }

      it('20 at once: one is verified, the others wait their turn or replay', async () => {
        const { ask, live, asked, balance, finish } = await setUp();
        const answers = await Promise.all(Array.from({ length: 20 }, () => ask(live, withKey('k'))));
        assert.equal(asked.length, 1);
        assert.equal(answers.filter((answer) => answer.kind === 'verified' && !answer.replayed).length, 1);
        for (const { kind } of answers) assert.ok(kind === 'verified' || kind === 'request_in_progress');
        assert.deepEqual(await balance(), [9, 0, 1]);
        await finish();
      });

      it('an attempt that lost its key to a later one, while its transaction was held up, is not charged', async () => {
        const { ask, live, time, parts, answering, balance, finish } = await setUp();
        const { promise: answer, resolve: probed } = Promise.withResolvers<Outcome>();
        // It has looked at the clock in time, and writes when its time is long over.
        const startedAt = parts.wallClock.now();
        const heldUp = { engine: answering(() => answer), wallClock: { now: () => startedAt } };
        const first = ask(live, withKey('k'), heldUp);
        await until(async () => (await balance())[1] === 1);
        time.advance(60_000);
        const second = await ask(live, withKey('k'));
        assert.ok(second.kind === 'verified' && second.creditsUsed === 1);
        probed(safe(email));
        assert.deepEqual(await first, { kind: 'timeout' });
        assert.deepEqual(await balance(), [9, 0, 1]);
        assert.deepEqual(await ask(live, withKey('k')), { ...second, replayed: true });
        await finish();
      });

      it('an attempt whose hold was swept keeps no answer', async () => {
        const { ask, live, time, parts, answering, balance, sweep, finish } = await setUp();
        const { promise: answer, resolve: probed } = Promise.withResolvers<Outcome>();
        const startedAt = parts.wallClock.now();
        const heldUp = { engine: answering(() => answer), wallClock: { now: () => startedAt } };
        const first = ask(live, withKey('k'), heldUp);
        await until(async () => (await balance())[1] === 1);
        time.advance(60_000);
        await sweep();
        probed(safe(email));
        assert.deepEqual(await first, { kind: 'timeout' });
        assert.deepEqual(await balance(), [10, 0, 0]);
        const again = await ask(live, withKey('k'));
        assert.ok(again.kind === 'verified' && !again.replayed && again.creditsUsed === 1);
        await finish();
      });

      it('another body is a mismatch, another account’s key is its own', async () => {
        const { ask, live, store, parts, finish } = await setUp();
        const other = await openAccount({ store, wallClock: parts.wallClock }, 5);
        await ask(live, withKey('k'));
        assert.deepEqual(await ask(live, withKey('k', 'other body')), { kind: 'idempotency_mismatch' });
        const theirs = await ask(other.live, withKey('k', 'other body'));
        assert.ok(theirs.kind === 'verified' && !theirs.replayed);
        await finish();
      });

      for (const outcome of [timeout, unavailable]) {
        it(`${outcome.kind} frees the key`, async () => {
          const { ask, live, answering, finish } = await setUp();
          await ask(live, withKey('k'), { engine: answering(() => outcome) });
          const again = await ask(live, withKey('k'));
          assert.ok(again.kind === 'verified' && !again.replayed);
          await finish();
        });
      }

      it('a refusal for want of credits frees the key', async () => {
        const { ask, live, parts, accountId, store, finish } = await setUp(0);
        assert.equal((await ask(live, withKey('k'))).kind, 'insufficient_credits');
        await grantCredits(
          { accountId, credits: 1 },
          { store, wallClock: parts.wallClock, actor: 'operator' },
        );
        assert.equal((await ask(live, withKey('k'))).kind, 'verified');
        await finish();
      });

      it('the answer is kept for a day and then erased', async () => {
        const { ask, live, time, sweep, asked, finish } = await setUp();
        await ask(live, withKey('k'));
        time.advance(24 * 3_600_000 - 1);
        await sweep();
        assert.ok((await ask(live, withKey('k'))).kind === 'verified' && asked.length === 1);
        time.advance(1);
        const again = await ask(live, withKey('k', 'other body'));
        assert.ok(again.kind === 'verified' && !again.replayed, 'even before it is swept');
        await finish();
      });
    });
  });
}
