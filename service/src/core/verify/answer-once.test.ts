import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine, Outcome } from '@mailproof/engine';
import { grantCredits } from '../ledger/grant-credits.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailableError } from '../store/store-unavailable-error.ts';
import { databases } from '../../../test/support/databases.ts';
import { email, openVerifyOneFixture, withKey } from '../../../test/support/open-verify-one-fixture.ts';
import { openAccount } from '../../../test/support/open-account.ts';
import { safe, timeout, unavailable } from '../../../test/support/outcomes.ts';
import { until } from '../../../test/support/until.ts';
import { createGivenUp } from './given-up.ts';

/** Lets time pass for those who try again, until nothing is reserved. */
async function untilGivenBack(balance: () => Promise<number[]>, time: { advance: (ms: number) => void }) {
  await until(
    () => {
      time.advance(250);
      return balance();
    },
    ([, reserved]) => reserved === 0,
  );
}

/** A store that loses its database: before a transaction is committed, or after, when nobody hears of it. */
function breakableStore(store: Store, when: 'before' | 'after') {
  let failing = false;
  return {
    fail: () => (failing = true),
    mend: () => (failing = false),
    /** An engine during whose answer it breaks. */
    breaking: (answer: (email: string) => Outcome): Pick<Engine, 'verify'> => ({
      verify: (address) => {
        failing = true;
        return Promise.resolve(answer(address));
      },
    }),
    store: {
      write: async <T>(...given: Parameters<typeof store.write<T>>): Promise<T> => {
        if (!failing) return store.write(...given);
        if (when === 'after') await store.write(...given);
        throw new StoreUnavailableError(when === 'after' ? 'unconfirmed' : 'unreachable');
      },
    },
  };
}

for (const database of databases) {
  describe(`a single verification with an idempotency key on ${database.name}`, () => {
    const setUp = (credits?: number) => openVerifyOneFixture(database, credits);
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
      const fixture = await setUp();
      const { ask, live, balance, finish } = fixture;
      const first = await beginHeldUp(fixture);
      const second = await ask(live, withKey('k'));
      assert.ok(second.kind === 'verified' && second.creditsUsed === 1);
      assert.deepEqual(await first.end(), { kind: 'timeout' });
      assert.deepEqual(await balance(), [9, 0, 1]);
      assert.deepEqual(await ask(live, withKey('k')), { ...second, replayed: true });
      await finish();
    });

    it('an attempt whose hold was swept keeps no answer', async () => {
      const fixture = await setUp();
      const { ask, live, balance, sweep, finish } = fixture;
      const first = await beginHeldUp(fixture);
      await sweep();
      assert.deepEqual(await first.end(), { kind: 'timeout' });
      assert.deepEqual(await balance(), [10, 0, 0]);
      const again = await ask(live, withKey('k'));
      assert.ok(again.kind === 'verified' && !again.replayed && again.creditsUsed === 1);
      await finish();
    });

    it('an attempt that was told 503 is free at once', async () => {
      const { ask, live, store, balance, time, finish } = await setUp();
      const broken = breakableStore(store, 'before');
      const first = ask(live, withKey('k'), { store: broken.store, engine: broken.breaking(safe) });
      await assert.rejects(first, StoreUnavailableError);
      broken.mend();
      const again = await ask(live, withKey('k'));
      assert.ok(again.kind === 'verified' && again.creditsUsed === 1);
      await untilGivenBack(balance, time);
      assert.deepEqual(await balance(), [9, 0, 1]);
      await finish();
    });

    it('an attempt whose charge may have been committed replays its answer, and is charged once', async () => {
      const { ask, live, store, balance, asked, finish } = await setUp();
      const broken = breakableStore(store, 'after');
      const first = ask(live, withKey('k'), { store: broken.store, engine: broken.breaking(safe) });
      await assert.rejects(first, StoreUnavailableError);
      broken.mend();
      const again = await ask(live, withKey('k'));
      assert.ok(again.kind === 'verified' && again.replayed && again.creditsUsed === 1);
      assert.deepEqual([await balance(), asked], [[9, 0, 1], []]);
      await finish();
    });

    it('a reservation that may have been committed leaves its key free at once', async () => {
      const { ask, live, store, balance, asked, time, finish } = await setUp();
      const broken = breakableStore(store, 'after');
      broken.fail();
      await assert.rejects(ask(live, withKey('k'), { store: broken.store }), StoreUnavailableError);
      broken.mend();
      assert.equal((await ask(live, withKey('k'))).kind, 'verified');
      await untilGivenBack(balance, time);
      assert.deepEqual([await balance(), asked.length], [[9, 0, 1], 1]);
      await finish();
    });

    it('other processes find the key free as soon as the store takes writes', async () => {
      const { ask, live, store, balance, time, finish } = await setUp();
      const broken = breakableStore(store, 'before');
      const first = ask(live, withKey('k'), { store: broken.store, engine: broken.breaking(safe) });
      await assert.rejects(first, StoreUnavailableError);
      const elsewhere = { givenUp: createGivenUp({ clock: time, onProblem: () => undefined }) };
      assert.equal((await ask(live, withKey('k'), elsewhere)).kind, 'request_in_progress');
      broken.mend();
      await untilGivenBack(balance, time);
      assert.equal((await ask(live, withKey('k'), elsewhere)).kind, 'verified');
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
      await grantCredits({ accountId, credits: 1 }, { store, wallClock: parts.wallClock, actor: 'operator' });
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
}

/** An attempt that has looked at the clock in time, and writes when its time is long over. */
async function beginHeldUp({
  ask,
  live,
  time,
  parts,
  answering,
  balance,
}: Awaited<ReturnType<typeof openVerifyOneFixture>>) {
  const { promise: answer, resolve: probed } = Promise.withResolvers<Outcome>();
  const startedAt = parts.wallClock.now();
  const heldUp = { engine: answering(() => answer), wallClock: { now: () => startedAt } };
  const answered = ask(live, withKey('k'), heldUp);
  await until(async () => (await balance())[1] === 1);
  time.advance(60_000);
  return {
    end: () => {
      probed(safe(email));
      return answered;
    },
  };
}
