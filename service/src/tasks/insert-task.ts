import { multiRowInsert } from '../db/multi-row-insert.ts';
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
  key: string | null;
  request: string | null;
  /** The list that it is a part of. */
  list: string | null;
};

export type NewItem = {
  email: string;
  /** Which row of the list it is, how often its host deferred it so far, and what was said. */
  listRow: number | null;
  visits: number;
  visited: string | null;
};

/** An address of a task that somebody created himself. */
export function newItem(email: string): NewItem {
  return { email, listRow: null, visits: 0, visited: null };
}

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
    list_id: arg.list,
  }),
);

const insertItems = multiRowInsert('item', {
  columns: ['task_id', 'position', 'email', 'next_at', 'visits', 'visited', 'list_row'],
  constants: { state: 'pending', attempts: 0, conclusive: 0 },
});

/** All is sent at once, in order: to wait for each answer would hold up the account for as many round trips. */
export async function insertTask(tx: Tx, task: NewTask, items: NewItem[]): Promise<void> {
  const rows = items.map(({ email, visits, visited, listRow }, position) => ({
    task_id: task.id,
    position,
    email,
    next_at: task.now,
    visits,
    visited,
    list_row: listRow,
  }));
  await Promise.all([tx.change(insertRow, task), insertItems(tx, rows)]);
}
