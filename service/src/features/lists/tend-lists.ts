import { sql } from 'kysely';
import { statement, type Tx } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import { shelved } from '../../core/verify/tasks/claim-task.ts';
import { deleteRows } from './insert-rows.ts';
import { endIfDone } from './end-list.ts';
import { planAhead, planTasks, takeUpTasks } from './plan-tasks.ts';
import { absorbTask } from './settle-list-task.ts';
import { endRun } from './stop-list.ts';

/**
 * What lists need though nobody asks: addresses whose wait is over go to tasks, lists past their deadline end, lists whose
 * time is over and uploads that broke are erased. Every process does it every second; each step is small and may be
 * repeated.
 */
type TendListsParts = { store: Pick<Store, 'read' | 'writeAlone'> };

const listsAtOnce = 50;

const findDue = statement((db, arg: { now: number }) =>
  db
    .selectFrom('list')
    .select(['id', 'account_id', 'deadline_at'])
    .where('state', '=', sql.lit('running'))
    .where((eb) =>
      eb.or([
        eb('next_due', '<=', arg.now),
        eb('deadline_at', '<=', arg.now),
        // A program of the version before may have completed a task of ours, or gone on with a list and not with its
        // tasks, as it knows nothing of either.
        eb.exists(
          eb
            .selectFrom('task')
            .select('task.id')
            .whereRef('task.list_id', '=', 'list.id')
            .where((task) =>
              task.or([
                task('task.status', '=', sql.lit('completed')),
                task('task.next_at', '=', sql.lit(shelved)),
              ]),
            ),
        ),
      ]),
    )
    .limit(listsAtOnce),
);

const findPausedOverdue = statement((db, arg: { now: number }) =>
  db
    .selectFrom('list')
    .select(['id', 'account_id'])
    .where('state', '=', 'paused')
    .where('deadline_at', '<=', arg.now)
    .limit(listsAtOnce),
);

const findCompletedTasks = statement((db, arg: { list: string }) =>
  db
    .selectFrom('task')
    .select('id')
    .where('list_id', '=', arg.list)
    .where('status', '=', sql.lit('completed')),
);

export async function tendLists(now: number, { store }: TendListsParts): Promise<number> {
  const due = await store.read.all(findDue, { now });
  for (const { id, account_id: account, deadline_at: deadline } of due) {
    const made = await store.writeAlone(async (tx) => {
      if (deadline !== null && deadline <= now) {
        await endRun(tx, { listId: id, state: 'completed', now });
        return 0;
      }
      for (const task of await tx.all(findCompletedTasks, { list: id }))
        await absorbTask(tx, { taskId: task.id, listId: id });
      await takeUpTasks(tx, id, now);
      const tasks = await planTasks(tx, id, now);
      await endIfDone(tx, id, now);
      return tasks;
    }, account);
    if (made > 0) await planAhead(store, { accountId: account, listId: id, now });
  }
  const overdue = await store.read.all(findPausedOverdue, { now });
  for (const { id, account_id: account } of overdue)
    await store.writeAlone((tx) => endRun(tx, { listId: id, state: 'completed', now }), account);
  return overdue.length;
}

const markExpired = statement((db, arg: { now: number }) =>
  db
    .updateTable('list')
    .set({ state: 'deleted' })
    .where('expires_at', '<=', arg.now)
    .where(
      'state',
      'in',
      ['surveyed', 'completed', 'cancelled'].map((state) => sql.lit(state as 'surveyed')),
    ),
);

const markAbandoned = statement((db, arg: { owner: string }) =>
  db
    .updateTable('list')
    .set({ state: 'deleted', owner: null })
    .where('state', '=', 'receiving')
    .where('owner', '=', arg.owner),
);

/** A process died while it received lists: nobody will ever see them. */
export async function abandonListsOf(tx: Tx, processId: string): Promise<number> {
  return tx.change(markAbandoned, { owner: processId });
}

const findDeleted = statement((db) =>
  db.selectFrom('list').select(['id', 'rows', 'file_bytes']).where('state', '=', sql.lit('deleted')).limit(1),
);

const findSomeRow = statement((db, arg: { list: string }) =>
  db.selectFrom('list_row').select('row').where('list_id', '=', arg.list).orderBy('row').limit(1),
);
const findSomePiece = statement((db, arg: { list: string }) =>
  db.selectFrom('list_piece').select('number').where('list_id', '=', arg.list).orderBy('number').limit(1),
);
const deletePieces = statement((db, arg: { list: string; to: number }) =>
  db.deleteFrom('list_piece').where('list_id', '=', arg.list).where('number', '<', arg.to),
);
const deleteCounts = statement((db, arg: { list: string }) =>
  db.deleteFrom('list_count').where('list_id', '=', arg.list),
);
const deleteList = statement((db, arg: { list: string }) => db.deleteFrom('list').where('id', '=', arg.list));

export const rowsErasedAtOnce = 500;
/** A piece of the file is as large as so many rows. */
const rowsInPiece = 64;

/** One slice of one list, of so many rows; says whether there was anything. */
export async function eraseListSlice(tx: Tx, now: number, most: number): Promise<number> {
  await tx.change(markExpired, { now });
  const list = await tx.first(findDeleted, {});
  if (list === undefined) return 0;
  const row = await tx.first(findSomeRow, { list: list.id });
  if (row !== undefined) {
    await deleteRows(tx, list.id, { from: row.row, to: row.row + most });
    return 1;
  }
  const piece = await tx.first(findSomePiece, { list: list.id });
  if (piece !== undefined) {
    const pieces = Math.ceil(most / rowsInPiece);
    await tx.change(deletePieces, { list: list.id, to: piece.number + pieces });
    return 1;
  }
  await tx.change(deleteCounts, { list: list.id });
  await tx.change(deleteList, { list: list.id });
  return 1;
}
