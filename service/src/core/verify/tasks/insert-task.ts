import type { Insertable } from 'kysely';
import { multiRowInsert } from '../../store/multi-row-insert.ts';
import type { BatchWork, Tx } from '../../store/statement.ts';
import type { TaskTables } from '../../store/tables/task-tables.ts';

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

type TaskRow = Omit<Insertable<TaskTables['task']>, 'checked' | 'fence' | 'lease_owner' | 'lease_until'>;

const insertTasks = multiRowInsert('task', {
  columns: [
    ...([
      'id',
      'account_id',
      'mode',
      'name',
      'status',
      'total',
      'hold_id',
      'next_at',
      'deadline_at',
    ] as const),
    ...(['created_at', 'completed_at', 'expires_at', 'results', 'key_id', 'request_id', 'list_id'] as const),
  ],
  constants: { checked: 0, fence: 0, lease_owner: null, lease_until: 0 },
});

const insertWaitingAddresses = multiRowInsert('waiting_addresses', { columns: ['task_id', 'emails'] });

type WaitingTask = { task: NewTask; emails: string[] };

const tasksTogether: BatchWork<WaitingTask, void> = {
  most: 64,
  run: (tx, created) => {
    const waiting = created.filter(({ emails }) => emails.length > 0);
    insertTasks(
      tx,
      created.map(({ task }) => taskRow(task)),
    );
    insertWaitingAddresses(
      tx,
      waiting.map(({ task, emails }) => ({ task_id: task.id, emails: JSON.stringify(emails) })),
    );
    return created.map(() => undefined);
  },
};

/** A task whose addresses become items when it is first claimed. Those of a transaction are inserted together. */
export async function insertWaitingTask(tx: Tx, task: NewTask, emails: string[]): Promise<void> {
  await tx.batch(tasksTogether, '', { task, emails });
}

const insertItems = multiRowInsert('item', {
  columns: ['task_id', 'position', 'email', 'next_at', 'visits', 'visited', 'list_row'],
  constants: { state: 'pending', attempts: 0, conclusive: 0 },
});

/** A task whose items are more than their addresses. */
export function insertTask(tx: Tx, task: NewTask, items: NewItem[]): void {
  const rows = items.map(({ email, visits, visited, listRow }, position) => ({
    task_id: task.id,
    position,
    email,
    next_at: task.now,
    visits,
    visited,
    list_row: listRow,
  }));
  insertTasks(tx, [taskRow(task)]);
  insertItems(tx, rows);
}

function taskRow(task: NewTask): TaskRow {
  return {
    id: task.id,
    account_id: task.account,
    mode: task.mode,
    name: task.name,
    status: task.status,
    total: task.total,
    hold_id: task.hold,
    next_at: task.now,
    deadline_at: task.deadline,
    created_at: task.now,
    completed_at: task.completed,
    expires_at: task.expires,
    results: task.results,
    key_id: task.key,
    request_id: task.request,
    list_id: task.list,
  };
}
