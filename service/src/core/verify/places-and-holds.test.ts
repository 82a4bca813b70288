import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Asker } from '@mailproof/engine';
import { databases } from '../../../test/support/databases.ts';
import { email, openVerifyOneFixture, withKey } from '../../../test/support/open-verify-one-fixture.ts';
import { safe, timeout } from '../../../test/support/outcomes.ts';
import { releaseExpiredHolds } from '../ledger/release-abandoned-holds.ts';
import type { Slots } from './slots.ts';

/** Places that tell who took one and how many are taken now. */
function watchedSlots() {
  const askers: Asker[] = [];
  const taken = { now: 0 };
  const slots: Slots = {
    take: (asker) => {
      askers.push(asker);
      taken.now += 1;
      return Promise.resolve({ kind: 'taken', release: () => void (taken.now -= 1) });
    },
  };
  return { slots, askers, taken };
}

for (const database of databases) {
  describe(`the place and the hold of a single on ${database.name}`, () => {
    it('a single gives its place back, however it ends', async () => {
      const { ask, live, answering, finish } = await openVerifyOneFixture(database);
      const { slots, taken } = watchedSlots();
      await ask(live, {}, { slots });
      assert.equal(taken.now, 0, 'after a verdict');
      await ask(live, {}, { slots, engine: answering(() => timeout) });
      assert.equal(taken.now, 0, 'after a timeout');
      const broken = { verify: () => Promise.reject(new Error('a defect')) };
      await assert.rejects(ask(live, {}, { slots, engine: broken }), /a defect/);
      assert.equal(taken.now, 0, 'after a defect');
      await finish();
    });

    it('a single takes a place as one that somebody waits for, in the name of its account', async () => {
      const { ask, live, accountId, finish } = await openVerifyOneFixture(database);
      const { slots, askers } = watchedSlots();
      await ask(live, {}, { slots });
      assert.deepEqual(askers, [{ urgency: 'single', account: accountId }]);
      await finish();
    });

    it('a verdict that comes after its hold expired is neither told nor charged, though no sweeper came', async () => {
      const { ask, live, time, balance, answering, finish } = await openVerifyOneFixture(database);
      const engine = answering((address) => {
        time.advance(40_000);
        return safe(address);
      });
      assert.deepEqual(await ask(live, withKey('late'), { engine }), { kind: 'timeout' });
      assert.deepEqual(await balance(), [10, 0, 0]);
      await finish();
    });

    it('a verdict whose hold was given back meanwhile is neither told nor kept, with a key or without', async () => {
      const { ask, live, time, store, parts, balance, answering, finish } =
        await openVerifyOneFixture(database);
      const startedAt = parts.wallClock.now();
      const heldUp = { now: () => startedAt };
      const engine = answering(async (address) => {
        time.advance(60_000);
        assert.equal(await releaseExpiredHolds(parts.wallClock.now(), { store }), 1);
        return safe(address);
      });
      for (const more of [{}, withKey('held-up')])
        assert.deepEqual(await ask(live, more, { engine, wallClock: heldUp }), { kind: 'timeout' });
      assert.deepEqual(await balance(), [10, 0, 0]);
      const again = await ask(live, withKey('held-up'));
      assert.ok(again.kind === 'verified' && !again.replayed, 'the key has no answer yet');
      await finish();
    });

    it('a verdict of the last moment is charged: the hold outlives the deadline by ten seconds', async () => {
      const { ask, live, time, balance, sweep, answering, finish } = await openVerifyOneFixture(database);
      const engine = answering(async () => {
        time.advance(39_999);
        await sweep();
        return safe(email);
      });
      const answer = await ask(live, {}, { engine });
      assert.ok(answer.kind === 'verified' && answer.creditsUsed === 1, answer.kind);
      assert.deepEqual(await balance(), [9, 0, 1]);
      await finish();
    });
  });
}
