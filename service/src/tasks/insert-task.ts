import { sql } from 'kysely';
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

type ItemArguments = { task: string; now: number } & Record<
  `${'email' | 'position' | 'list_row' | 'visits' | 'visited'}${number}`,
  string | number | null
>;

/**
 * So many addresses in one statement: a statement costs more than a row. What each row is given is of the type its
 * name says, see `itemArguments`.
 */
const insertItems = (count: number) =>
  statement((db, arg: ItemArguments) =>
    db.insertInto('item').values(
      Array.from({ length: count }, (_, row) => ({
        task_id: arg.task,
        position: arg[`position${row}`] as number,
        email: arg[`email${row}`] as string,
        next_at: arg.now,
        state: sql.lit('pending' as const),
        attempts: sql.lit(0),
        visits: arg[`visits${row}`] as number,
        visited: arg[`visited${row}`] as string | null,
        list_row: arg[`list_row${row}`] as number | null,
        conclusive: sql.lit(0),
      })),
    ),
  );

/** Few sizes, so that few statements are prepared; any number of addresses is made up of them. */
const batches = [64, 16, 4, 1].map((size) => ({ size, insert: insertItems(size) }));

/** All is sent at once, in order: to wait for each answer would hold up the account for as many round trips. */
export async function insertTask(tx: Tx, task: NewTask, items: NewItem[]): Promise<void> {
  const sent: Promise<unknown>[] = [tx.change(insertRow, task)];
  let next = 0;
  for (const { size, insert } of batches) {
    for (; next + size <= items.length; next += size) {
      sent.push(
        tx.change(insert, itemArguments(task, { from: next, items: items.slice(next, next + size) })),
      );
    }
  }
  await Promise.all(sent);
}

function itemArguments({ id, now }: NewTask, batch: { from: number; items: NewItem[] }): ItemArguments {
  const rows = batch.items.flatMap((item, row): [string, string | number | null][] => [
    [`position${row}`, batch.from + row],
    [`email${row}`, item.email],
    [`list_row${row}`, item.listRow],
    [`visits${row}`, item.visits],
    [`visited${row}`, item.visited],
  ]);
  return { task: id, now, ...Object.fromEntries(rows) };
}
