import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databases } from '../../../../test/support/databases.ts';
import { addresses, openTaskFixture } from '../../../../test/support/open-task-fixture.ts';
import { leaseMs } from './claim-task.ts';
import { beginItem, deferItem, holdItem, pendingItems, putBackItem, recordResult } from './items.ts';
import { deadlineReached, unverified } from './result.ts';

for (const database of databases) {
  describe(`what a worker writes about addresses on ${database.name}`, () => {
    it('has no effect once another worker has claimed the task, and says so', async () => {
      const { store, account, created, claim, time, close } = await openTaskFixture(database);
      const taskId = await created(account.live, addresses(1));
      const first = await claim('first');
      assert.ok(first !== undefined);
      time.advance(leaseMs);
      const second = await claim('second');
      assert.ok(second !== undefined);
      const read = () => pendingItems(store.read, taskId);
      const before = await read();
      const result = unverified('person0@example.com', deadlineReached);
      const stale = { kind: 'stale_fence' };
      const later = { position: 0, nextAt: 5 };
      assert.deepEqual(await store.write((tx) => beginItem(tx, first, 0)), stale);
      assert.deepEqual(await store.write((tx) => deferItem(tx, first, { ...later, visits: [] })), stale);
      assert.deepEqual(await store.write((tx) => holdItem(tx, first, later)), stale);
      assert.deepEqual(await store.write((tx) => recordResult(tx, first, { position: 0, result })), stale);
      assert.deepEqual(await read(), before);

      assert.deepEqual(await store.write((tx) => beginItem(tx, second, 0)), { kind: 'written' });
      await store.write((tx) => putBackItem(tx, first, 0));
      assert.equal((await read())[0]?.attempts, 1);
      const written = await store.write((tx) => recordResult(tx, second, { position: 0, result }));
      assert.deepEqual([written, await read()], [{ kind: 'written' }, []]);
      const again = await store.write((tx) => recordResult(tx, second, { position: 0, result }));
      assert.deepEqual(again, { kind: 'not_pending' });
      await close();
    });
  });
}
