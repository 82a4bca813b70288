import { insertRows } from '../db/insert-rows.ts';
import { statement, type Tx } from '../db/statement.ts';

export type NewTask = {
  id: string;
  account: string;
  mode: 'live' | 'test';
  name: string;
  status: 'waiting' | 'completed';
  total: number;
  hold: string | null;
  deadline: number;
  now: number;
  completed: number | null;
  expires: number | null;
  results: string | null;
  key: string;
  request: string;
};

const insertRow = statement((db, arg: NewTask) =>
  db.insertInto('task').values({
    id: arg.id,
    account_id: arg.account,
    mode: arg.mode,
    name: arg.name,
    status: arg.status,
    total: arg.total,
    checked: 0,
    hold_id: arg.hold,
    fence: 0,
    lease_owner: null,
    lease_until: 0,
    next_at: arg.now,
    deadline_at: arg.deadline,
    created_at: arg.now,
    completed_at: arg.completed,
    expires_at: arg.expires,
    results: arg.results,
    key_id: arg.key,
    request_id: arg.request,
  }),
);

const insertItems = insertRows('item', {
  columns: ['task_id', 'position', 'email', 'next_at'],
  constants: { state: 'pending', attempts: 0, visits: 0, conclusive: 0 },
});

/** All is sent at once, in order: to wait for each answer would hold up the account for as many round trips. */
export async function insertTask(tx: Tx, task: NewTask, emails: string[]): Promise<void> {
  const items = emails.map((email, position) => ({ task_id: task.id, position, email, next_at: task.now }));
  await Promise.all([tx.change(insertRow, task), insertItems(tx, items)]);
}
