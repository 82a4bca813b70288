import { sql } from 'kysely';
import { createPlaces, type Places } from '../../store/places.ts';
import { statement, type Tx } from '../../store/statement.ts';

/**
 * Erases completed tasks whose time is over, addresses and all. The rows are overwritten as they are deleted;
 * what the write-ahead log still holds of them goes when the caller truncates it. The ledger keeps the counts.
 */
export const taskRowsErasedAtOnce = 500;

/** So many small ones are gone in a few milliseconds. */
const tasksInStatement = 64;

const findExpired = statement((db, arg: { now: number; limit: number }) =>
  db
    .selectFrom('task')
    .select(['id', 'total'])
    .where('status', '=', sql.lit('completed'))
    .where('expires_at', '<=', arg.now)
    .limit(arg.limit),
);

const places = createPlaces(tasksInStatement);

const deleteItems = statement((db, arg: Places) =>
  db.deleteFrom('item').where('task_id', 'in', places.of(arg)),
);

const deleteTasks = statement((db, arg: Places) => db.deleteFrom('task').where('id', 'in', places.of(arg)));

/** As many tasks as have so many rows together, and one at least. Says how many were erased; there may be more. */
export async function eraseExpiredTasks(
  tx: Tx,
  now: number,
  mostRows = taskRowsErasedAtOnce,
): Promise<number> {
  const expired = await tx.all(findExpired, { now, limit: Math.min(mostRows, tasksInStatement) });
  const [first, ...others] = expired;
  if (first === undefined) return 0;
  const ids = [first.id];
  let rows = 1 + first.total;
  for (const { id, total } of others) {
    rows += 1 + total;
    if (rows > mostRows) break;
    ids.push(id);
  }
  const tasks = places.for(ids);
  await Promise.all([tx.change(deleteItems, tasks), tx.change(deleteTasks, tasks)]);
  return ids.length;
}
