import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { statement, type Tx } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import { shelved } from '../../core/verify/tasks/claim-task.ts';
import { insertTask, type NewItem } from '../../core/verify/tasks/insert-task.ts';
import { selectLists, toList, type List } from './list.ts';

/**
 * Hands addresses of a running list to tasks, so many tasks ahead of the workers that none of them waits, and no more:
 * a list of a million is not ten thousand tasks at once. Addresses whose wait is over come first, then the next in the
 * order of their mail domain, so that conversations and DNS answers are shared.
 *
 * Whoever calls it writes alone under the account's key, so nobody plans the same list beside it.
 */
const tasksAhead = 32;
/** In one transaction: singles of the account wait for it, and are refused if it takes long. */
const tasksAtOnce = 2;
const taskAddresses = 100;

const findRunning = statement((db, arg: { list: string }) =>
  selectLists(db).where('list.id', '=', arg.list).where('list.state', '=', 'running'),
);

const countTasks = statement((db, arg: { list: string }) =>
  db
    .selectFrom('task')
    .select((eb) => eb.fn.countAll<number>().as('tasks'))
    .where('list_id', '=', arg.list)
    .where('status', '<>', sql.lit('completed')),
);

type RowToCheck = {
  row: number;
  email: string | null;
  visits: number;
  visited: string | null;
  host: string | null;
};

const findNext = statement(
  (db, arg: { list: string; last: number; host: string; row: number; limit: number }) =>
    db
      .selectFrom('list_row')
      .select(['row', 'email', 'visits', 'visited', 'host'])
      .where('list_id', '=', arg.list)
      .where('kind', '=', sql.lit('address'))
      .where('row', '<=', arg.last)
      .where((eb) => eb(eb.refTuple('host', 'row'), '>', eb.tuple(arg.host, arg.row)))
      .orderBy('host')
      .orderBy('row')
      .limit(arg.limit),
);

const findDue = statement((db, arg: { list: string; now: number; limit: number }) =>
  db
    .selectFrom('list_row')
    .select(['row', 'email', 'visits', 'visited', 'host'])
    .where('list_id', '=', arg.list)
    .where('next_at', '<=', arg.now)
    .orderBy('next_at')
    .orderBy('row')
    .limit(arg.limit),
);

const takeUp = statement((db, arg: { list: string; row: number }) =>
  db
    .updateTable('list_row')
    .set({ next_at: null })
    .where('list_id', '=', arg.list)
    .where('row', '=', arg.row),
);

const findNextDue = statement((db, arg: { list: string }) =>
  db
    .selectFrom('list_row')
    .select((eb) => eb.fn.min('next_at').as('next'))
    .where('list_id', '=', arg.list)
    .where('next_at', 'is not', null),
);

type Progress = {
  list: string;
  planned: number;
  waiting: number;
  host: string;
  row: number;
  next: number | null;
};

const writeProgress = statement((db, arg: Progress) =>
  db
    .updateTable('list')
    .set((eb) => ({
      planned: eb('planned', '+', arg.planned),
      waiting: eb('waiting', '-', arg.waiting),
      cursor_host: arg.host,
      cursor_row: arg.row,
      next_due: arg.next,
    }))
    .where('id', '=', arg.list),
);

const takeUpShelved = statement((db, arg: { list: string; now: number }) =>
  db
    .updateTable('task')
    .set({ next_at: arg.now })
    .where('list_id', '=', arg.list)
    .where('next_at', '=', sql.lit(shelved)),
);

/** Has the tasks go on that a pause set aside. */
export async function takeUpTasks(tx: Tx, listId: string, now: number): Promise<void> {
  await tx.change(takeUpShelved, { list: listId, now });
}

/** Makes the next few tasks; does nothing where it is not running or has enough. Says how many tasks it made. */
export async function planTasks(tx: Tx, listId: string, now: number): Promise<number> {
  const row = await tx.first(findRunning, { list: listId });
  if (row === undefined) return 0;
  const list = toList(row);
  const open = (await tx.first(countTasks, { list: listId }))?.tasks ?? 0;
  let made = 0;
  let { cursor, nextDue, planned } = list.run;
  while (made < tasksAtOnce && open + made < tasksAhead) {
    const due = nextDue !== null && nextDue <= now ? await takeDue(tx, listId, now) : [];
    const room = Math.min(taskAddresses - due.length, list.run.wanted - planned);
    const fresh = room > 0 ? await tx.all(findNext, { ...cursorOf(list, cursor), limit: room }) : [];
    if (due.length + fresh.length === 0) break;
    insertListTask(tx, list, { rows: [...due, ...fresh], now });
    const last = fresh.at(-1);
    planned += fresh.length;
    if (last !== undefined) cursor = { host: last.host ?? '', row: last.row };
    nextDue = due.length > 0 ? ((await tx.first(findNextDue, { list: listId }))?.next ?? null) : nextDue;
    const { host, row: at } = cursor;
    await tx.change(writeProgress, {
      list: listId,
      planned: fresh.length,
      waiting: due.length,
      host,
      row: at,
      next: nextDue,
    });
    made += 1;
    if (fresh.length === 0 && nextDue === null) break;
  }
  return made;
}

/** Makes tasks until there are enough. Where it is broken off, the tasks that end make the rest. */
export async function planAhead(
  store: Pick<Store, 'writeAlone'>,
  { accountId, listId, now }: { accountId: string; listId: string; now: number },
): Promise<void> {
  while ((await store.writeAlone((tx) => planTasks(tx, listId, now), accountId)) > 0);
}

function cursorOf({ id, run }: List, cursor: List['run']['cursor']) {
  return { list: id, last: run.lastRow, host: cursor.host, row: cursor.row };
}

async function takeDue(tx: Tx, listId: string, now: number): Promise<RowToCheck[]> {
  const due = await tx.all(findDue, { list: listId, now, limit: taskAddresses });
  await Promise.all(due.map(({ row }) => tx.change(takeUp, { list: listId, row })));
  return due;
}

function insertListTask(tx: Tx, list: List, { rows, now }: { rows: RowToCheck[]; now: number }): void {
  const items = rows.map(({ row, email, visits, visited }): NewItem => {
    if (email === null) throw new Error('a row without an address was to be checked');
    return { email, listRow: row, visits, visited };
  });
  const task = {
    id: randomUUID(),
    account: list.accountId,
    mode: list.mode,
    name: '',
    status: 'waiting' as const,
    total: items.length,
    hold: null,
    deadline: list.deadlineAt ?? now,
    now,
    completed: null,
    expires: null,
    results: null,
    key: null,
    request: null,
    list: list.id,
  };
  insertTask(tx, task, items);
}
