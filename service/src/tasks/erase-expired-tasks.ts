import { sql } from 'kysely';
import { statement, type SqlValue, type Tx } from '../db/statement.ts';

/**
 * Erases completed tasks whose time is over, addresses and all. The rows are overwritten as they are deleted;
 * what the write-ahead log still holds of them goes when the caller truncates it. The ledger keeps the counts.
 */
export const tasksErasedAtOnce = 50;

const findExpired = statement((db, arg: { now: number; limit: number }) =>
  db
    .selectFrom('task')
    .select('id')
    .where('status', '=', sql.lit('completed'))
    .where('expires_at', '<=', arg.now)
    .limit(arg.limit),
);

type Places = Record<`task${number}`, SqlValue>;

/** Places that are not taken are null, which is the id of nothing: so each statement is prepared once. */
const placesOf = (arg: Places) =>
  Array.from({ length: tasksErasedAtOnce }, (_, place) => arg[`task${place}`] as string);

const deleteItems = statement((db, arg: Places) =>
  db.deleteFrom('item').where('task_id', 'in', placesOf(arg)),
);

const deleteTasks = statement((db, arg: Places) => db.deleteFrom('task').where('id', 'in', placesOf(arg)));

/** How many were erased; there may be more. */
export async function eraseExpiredTasks(tx: Tx, now: number, most = tasksErasedAtOnce): Promise<number> {
  const expired = await tx.all(findExpired, { now, limit: Math.min(most, tasksErasedAtOnce) });
  if (expired.length === 0) return 0;
  const tasks = Object.fromEntries(
    Array.from({ length: tasksErasedAtOnce }, (_, place) => [`task${place}`, expired[place]?.id ?? null]),
  );
  await Promise.all([tx.change(deleteItems, tasks), tx.change(deleteTasks, tasks)]);
  return expired.length;
}
