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

const insertItem = statement((db, arg: { task: string; position: number; email: string; now: number }) =>
  db.insertInto('item').values({
    task_id: arg.task,
    position: arg.position,
    email: arg.email,
    state: 'pending',
    attempts: 0,
    visits: 0,
    next_at: arg.now,
    conclusive: 0,
    verdict: null,
    explanation: null,
    visited: null,
  }),
);

/** All is sent at once, in order: a hundred waits for a database across a network would hold the account's lane meanwhile. */
export async function insertTask(tx: Tx, task: NewTask, emails: string[]): Promise<void> {
  const { id, now } = task;
  await Promise.all([
    tx.change(insertRow, task),
    ...emails.map((email, position) => tx.change(insertItem, { task: id, position, email, now })),
  ]);
}
