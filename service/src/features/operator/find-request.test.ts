import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { reserve } from '../../core/ledger/reserve.ts';
import { settle } from '../../core/ledger/settle.ts';
import { createTask } from '../../core/verify/tasks/create-task.ts';
import { eraseExpiredTasks } from '../../core/verify/tasks/erase-expired-tasks.ts';
import { databases } from '../../../test/support/databases.ts';
import { createTestClock } from '../../../../engine/test/support/test-clock.ts';
import { openAccount } from '../../../test/support/open-account.ts';
import { findRequest } from './find-request.ts';

for (const database of databases) {
  describe(`a request by its id on ${database.name}`, () => {
    async function setUp() {
      const { store, close } = await database.open();
      const time = createTestClock();
      const { wallClock } = time;
      const { accountId, live, test } = await openAccount({ store, wallClock }, 100);
      const find = (requestId: string) => findRequest(requestId, { store });
      const hold = async (requestId: string) => {
        const keeper = { processId: 'p', expiresAt: wallClock.now() + 1_000 };
        const wanted = {
          accountId,
          holdId: requestId,
          credits: 1,
          key: { id: 'key', capped: false },
          ifAvailable: 1,
          keeper,
          now: wallClock.now(),
        };
        assert.equal((await store.write((tx) => reserve(tx, wanted))).kind, 'reserved');
      };
      const task = (caller: typeof live, emails: string[]) => {
        const requestId = randomUUID();
        const request = { requestId, caller, emails, name: undefined, idempotency: undefined };
        const times = { taskDeadlineMs: 1_000, taskRetentionMs: 1_000 };
        const parts = { store, wallClock, ...times, wake: () => undefined };
        return createTask(request, parts).then(() => requestId);
      };
      return { store, close, time, wallClock, accountId, live, test, find, hold, task };
    }

    it('a single verification: under way, charged, given back', async () => {
      const { store, wallClock, accountId, find, hold, close } = await setUp();
      const at = wallClock.now();
      for (const charge of [1, 0]) {
        const requestId = randomUUID();
        await hold(requestId);
        const found = { requestId, accountId, kind: 'verification', at, task: undefined };
        assert.deepEqual(await find(requestId), {
          ...found,
          credits: { reserved: 1, charged: 0, released: 0 },
        });
        await store.write((tx) => settle(tx, { accountId, holdId: requestId, charge, now: at }));
        const credits = { reserved: 1, charged: charge, released: 1 - charge };
        assert.deepEqual(await find(requestId), { ...found, credits });
      }
      await close();
    });

    it('a single verification that was reserved and charged in one', async () => {
      const { store, wallClock, accountId, find, close } = await setUp();
      const requestId = randomUUID();
      const now = wallClock.now();
      const keeper = { processId: 'here', expiresAt: now + 1 };
      const hold = {
        accountId,
        holdId: requestId,
        credits: 1,
        key: { id: 'key', capped: false },
        ifAvailable: 1,
        keeper,
        now,
      };
      const settled = await store.write(async (tx) => {
        await reserve(tx, hold);
        return settle(tx, { accountId, holdId: requestId, charge: 1, now });
      });
      assert.equal(settled.kind, 'settled');
      assert.deepEqual(await find(requestId), {
        requestId,
        accountId,
        kind: 'verification',
        at: now,
        task: undefined,
        credits: { reserved: 1, charged: 1, released: 0 },
      });
      await close();
    });

    it('a task, with what it gave back at once; its credits are found after it is erased', async () => {
      const { store, time, wallClock, accountId, live, find, task, close } = await setUp();
      const requestId = await task(live, ['a@example.com', 'b@example.com', 'nonsense']);
      const credits = { reserved: 3, charged: 0, released: 1 };
      const found = await find(requestId);
      assert.deepEqual(
        [found?.kind, found?.accountId, found?.credits, found?.task?.total, found?.task?.creditsUsed],
        ['task', accountId, credits, 2, 2],
      );
      const empty = await task(live, ['nonsense']);
      assert.deepEqual((await find(empty))?.credits, { reserved: 1, charged: 0, released: 1 });
      time.advance(2_000);
      await store.write((tx) => eraseExpiredTasks(tx, wallClock.now()));
      const { task: gone, kind } = (await find(empty)) ?? {};
      assert.deepEqual([gone, kind], [undefined, 'task']);
      await close();
    });

    it('a task of a test key is found without credits, and what never was is not found', async () => {
      const { find, test, task, close } = await setUp();
      const trace = await find(await task(test, ['a@example.com']));
      assert.deepEqual(
        [trace?.kind, trace?.credits, trace?.task?.mode],
        ['task', { reserved: 0, charged: 0, released: 0 }, 'test'],
      );
      for (const id of [randomUUID(), '', 'x', "' or 1=1", '\0']) assert.equal(await find(id), undefined);
      await close();
    });
  });
}
