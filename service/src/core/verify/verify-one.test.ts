import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '@mailproof/engine';
import { freezeAccount } from '../ledger/freeze-account.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailableError } from '../store/store-unavailable-error.ts';
import { email, openVerifyOneFixture, withKey } from '../../../test/support/open-verify-one-fixture.ts';
import { databases } from '../../../test/support/databases.ts';
import { safe, timeout, unavailable, unknown } from '../../../test/support/outcomes.ts';
import { createSlots } from './slots.ts';

for (const database of databases) {
  describe(`a single verification on ${database.name}`, () => {
    const setUp = (credits?: number) => openVerifyOneFixture(database, credits);

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
  });
}
