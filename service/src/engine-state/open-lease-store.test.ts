import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { allHosts, leaseKeptMs, type LeaseExchange } from '@mailproof/engine';
import { databases, type TestDatabase } from '../../test/support/databases.ts';
import { createTestClock } from '../../../engine/test/support/test-clock.ts';
import { openLeaseStore, releaseLeasesOf } from './open-lease-store.ts';

const google = 'group google';

async function setUp(t: TestContext, database: TestDatabase) {
  const { store, close } = await database.open();
  t.after(close);
  const time = createTestClock();
  /** The store as one process has it; it asks for one thing at a time and tells what it got. */
  const open = (processId: string) => {
    const { store: leaseStore, stop } = openLeaseStore({ store, wallClock: time.wallClock, processId });
    const grants = new Map<string, number>();
    const ask = async (asked: Partial<LeaseExchange>): Promise<string[]> => {
      const leases = await leaseStore.exchange({ take: [], prolong: [], giveBack: [], ...asked });
      for (const { key, grant } of leases) grants.set(key, grant);
      return leases.map(({ key }) => key);
    };
    return {
      leaseStore,
      stop,
      take: (...keys: string[]) => ask({ take: keys }),
      prolong: (...keys: string[]) => ask({ prolong: keys }),
      giveBack: (key: string, state?: unknown) =>
        ask({ giveBack: [{ key, grant: grants.get(key) ?? -1, state }] }),
    };
  };
  return { store, time, open };
}

for (const database of databases) {
  describe(`host leases on ${database.name}`, () => {
    it('of two processes one has a lease, and what it leaves goes on to the one that waits', async (t) => {
      const { time, open } = await setUp(t, database);
      const [one, other, third] = [open('one'), open('other'), open('third')];
      assert.deepEqual(await one.take(google, 'network 192.0.2.0/24'), [google, 'network 192.0.2.0/24']);
      assert.deepEqual(await other.take(google), []);
      assert.deepEqual(await one.prolong(google), [], 'somebody waits');
      assert.deepEqual(await one.prolong('network 192.0.2.0/24'), ['network 192.0.2.0/24']);
      await one.giveBack(google, { seen: 1 });
      assert.deepEqual(await third.take(google), [], 'it is kept for the one that waited');
      time.advance(500);
      const [lease] = await other.leaseStore.exchange({ take: [google], prolong: [], giveBack: [] });
      assert.deepEqual([lease?.state, lease?.agoMs], [{ seen: 1 }, 500]);
    });

    it('what is given back twice does not take the place of what came after', async (t) => {
      const { time, open } = await setUp(t, database);
      const [one, other] = [open('one'), open('other')];
      await one.take(google);
      await other.take(google);
      await one.giveBack(google, { seen: 1 });
      time.advance(1);
      await other.take(google);
      await one.take(google);
      await other.giveBack(google, { seen: 2 });
      // The lease is on its way back to the first, which has not heard that it gave it back before.
      await one.giveBack(google, { seen: 1 });
      const [lease] = await one.leaseStore.exchange({ take: [google], prolong: [], giveBack: [] });
      assert.deepEqual(lease?.state, { seen: 2 });
    });

    it('of twenty that ask at once one gets it', async (t) => {
      const { open } = await setUp(t, database);
      const all = Array.from({ length: 20 }, (_, index) => open(`p${index}`));
      const got = await Promise.all(all.map(({ take }) => take(google)));
      assert.equal(got.flat().length, 1);
    });

    it('what is not given back is free a minute after it lapsed, and what was left is then forgotten', async (t) => {
      const { time, open } = await setUp(t, database);
      const [one, other] = [open('one'), open('other')];
      await one.take(google);
      await one.giveBack(google, { seen: 1 });
      await one.take(google);
      time.advance(leaseKeptMs - 1);
      assert.deepEqual(await other.take(google), []);
      time.advance(1);
      const leases = await other.leaseStore.exchange({ take: [google], prolong: [], giveBack: [] });
      assert.equal(leases[0]?.state, undefined);
      await one.giveBack(google, { seen: 2 });
      assert.deepEqual(await one.take(google), [], 'a lease that was lost is not given back');
    });

    it('one that is alone may have all hosts, until another wants something', async (t) => {
      const { time, open } = await setUp(t, database);
      const [one, other] = [open('one'), open('other')];
      assert.deepEqual(await one.take(allHosts), [allHosts]);
      assert.deepEqual(await other.take(google), []);
      assert.deepEqual(await one.prolong(allHosts), [], 'it is wanted');
      assert.deepEqual(await one.take('group apple'), ['group apple']);
      await one.giveBack(allHosts);
      assert.deepEqual(await other.take(google, 'group apple'), [google]);
      assert.deepEqual(await one.take(allHosts), []);
      await other.giveBack(google, { seen: 1 });
      await one.giveBack('group apple', { seen: 1 });
      assert.deepEqual(await one.take(allHosts), [], 'not for a minute');
      time.advance(60_001);
      assert.deepEqual(await one.take(allHosts), [allHosts]);
    });

    it('what a dead process had is free at once where it is known to be dead', async (t) => {
      const { store, open } = await setUp(t, database);
      const [one, other] = [open('one'), open('other')];
      await one.take(google);
      await store.write((tx) => releaseLeasesOf(tx, 'one'));
      assert.deepEqual(await other.take(google), [google]);
    });

    it('one that stops leaves nothing behind, whatever it was about to take', async (t) => {
      const { open } = await setUp(t, database);
      const [one, other] = [open('one'), open('other')];
      void one.take(google);
      await one.stop();
      assert.deepEqual(await other.take(google), [google]);
    });

    it('who waits and who holds are told', async (t) => {
      const { open } = await setUp(t, database);
      const [one, other] = [open('one'), open('other')];
      await one.take(google);
      const told = new Promise<void>((resolve) => one.leaseStore.listen(resolve));
      await other.take(google);
      await told;
    });
  });
}
