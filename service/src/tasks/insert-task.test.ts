import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAccount } from '../accounts/create-account.ts';
import { issueKey } from '../keys/issue-key.ts';
import { databases } from '../../test/support/databases.ts';
import { insertTask, newItem } from './insert-task.ts';
import { pendingItems } from './items.ts';

for (const database of databases) {
  describe(`a new task on ${database.name}`, () => {
    it('has its addresses in their order, however many', { timeout: 60_000 }, async () => {
      const { store, close } = await database.open();
      const parts = { store, wallClock: Date, actor: 'command_line' as const };
      const { accountId } = await createAccount({ name: 'a', plan: 'paid', credits: 0 }, parts);
      const issued = await issueKey({ accountId, mode: 'test' }, parts);
      assert.ok(issued.kind === 'issued');
      for (const total of [0, 1, 3, 4, 37, 63, 64, 65, 84, 99, 100]) {
        const emails = Array.from({ length: total }, (_, index) => `user${index}@example.com`);
        const task = newTask({ id: `task ${total}`, account: accountId, key: issued.keyId, total });
        await store.write((tx) => insertTask(tx, task, emails.map(newItem)));
        const items = await pendingItems(store.read, task.id);
        assert.deepEqual(
          items,
          emails.map((email, position) => ({ position, email, attempts: 0, nextAt: 7, visits: [] })),
        );
      }
      await close();
    });
  });
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
