import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAccount } from '../../keys/accounts/create-account.ts';
import { issueKey } from '../../keys/issue-key.ts';
import { databases } from '../../../../test/support/databases.ts';
import { releaseTasksOf, takeTask } from './claim-task.ts';
import { insertTask, insertWaitingTask } from './insert-task.ts';
import { pendingItems } from './items.ts';

for (const database of databases) {
  describe(`a new task on ${database.name}`, () => {
    async function setUp() {
      const { store, execute, close } = await database.open();
      const parts = { store, wallClock: Date, actor: 'command_line' as const };
      const { accountId } = await createAccount({ name: 'a', plan: 'paid', credits: 0 }, parts);
      const issued = await issueKey({ accountId, mode: 'test' }, parts);
      assert.ok(issued.kind === 'issued');
      return { store, execute, close, accountId, keyId: issued.keyId };
    }

    it('has its addresses in their order, however many', { timeout: 60_000 }, async () => {
      const { store, close, accountId, keyId } = await setUp();
      for (const total of [0, 1, 3, 4, 37, 63, 64, 65, 84, 99, 100]) {
        const emails = Array.from({ length: total }, (_, index) => `user${index}@example.com`);
        const task = newTask({ id: `task ${total}`, account: accountId, key: keyId, total });
        await store.write((tx) => {
          insertTask(tx, task, emails.map(itemOf));
          return Promise.resolve();
        });
        const items = await pendingItems(store.read, task.id);
        assert.deepEqual(
          items,
          emails.map((email, position) => ({ position, email, attempts: 0, nextAt: 7, visits: [] })),
        );
      }
      await close();
    });

    it('has its items from the first claim on, in their order and as they were written', async () => {
      const { store, close, accountId, keyId } = await setUp();
      const claim = (taskId: string) =>
        store.write((tx) => takeTask(tx, { taskId, processId: 'one', now: 100_000 }));
      const odd = ['"a\\"b"@example.com', "o'hara@example.com", 'jörg@bücher.example', '"a, b"@example.com'];
      const many = Array.from({ length: 100 }, (_, index) => `user${index}@example.com`);
      const created = [odd, many, []].map((emails, number) => ({
        task: newTask({ id: `task ${number}`, account: accountId, key: keyId, total: emails.length }),
        emails,
      }));
      await Promise.all(
        created.map(({ task, emails }) => store.write((tx) => insertWaitingTask(tx, task, emails))),
      );
      for (const { task, emails } of created) {
        assert.deepEqual(await pendingItems(store.read, task.id), [], 'not before');
        assert.equal((await claim(task.id))?.fence, 1);
        const expected = emails.map((email, position) => ({
          position,
          email,
          attempts: 0,
          nextAt: 7,
          visits: [],
        }));
        assert.deepEqual(await pendingItems(store.read, task.id), expected);
      }
      await store.write((tx) => releaseTasksOf(tx, 'one'));
      assert.equal((await claim('task 1'))?.fence, 2);
      assert.equal((await pendingItems(store.read, 'task 1')).length, 100, 'once');
      await close();
    });

    it('has its items where a program that knows nothing of them claims it', async () => {
      const { store, execute, close, accountId, keyId } = await setUp();
      const task = newTask({ id: 'task', account: accountId, key: keyId, total: 2 });
      const emails = ['a@example.com', 'b@example.com'];
      await store.write((tx) => insertWaitingTask(tx, task, emails));
      await execute(
        `update task set status = 'running', fence = fence + 1, lease_until = 9 where id = 'task'`,
      );
      const items = await pendingItems(store.read, 'task');
      assert.deepEqual(
        items.map(({ email }) => email),
        emails,
      );
      await close();
    });
  });
}

function itemOf(email: string) {
  return { email, listRow: null, visits: 0, visited: null };
}

function newTask(own: { id: string; account: string; key: string; total: number }) {
  return {
    ...own,
    mode: 'test' as const,
    name: 'API: list',
    status: 'waiting' as const,
    hold: null,
    list: null,
    deadline: 9,
    now: 7,
    completed: null,
    expires: null,
    results: null,
    request: 'request',
  };
}
