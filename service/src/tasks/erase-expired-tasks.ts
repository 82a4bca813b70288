import { sql } from 'kysely';
import { statement, type Tx } from '../db/statement.ts';

/**
 * Erases completed tasks whose time is over, addresses and all. The rows are overwritten as they are deleted;
 * what the write-ahead log still holds of them goes when the caller truncates it. The ledger keeps the counts.
 */
const tasksAtOnce = 50;

const findExpired = statement((db, arg: { now: number }) =>
  db
    .selectFrom('task')
    .select('id')
    .where('status', '=', sql.lit('completed'))
    .where('expires_at', '<=', arg.now)
    .limit(tasksAtOnce),
);

const deleteItems = statement((db, arg: { task: string }) =>
  db.deleteFrom('item').where('task_id', '=', arg.task),
);

const deleteTask = statement((db, arg: { task: string }) => db.deleteFrom('task').where('id', '=', arg.task));

/** How many were erased; there may be more. */
export async function eraseExpiredTasks(tx: Tx, now: number): Promise<number> {
  const expired = await tx.all(findExpired, { now });
  for (const { id } of expired) {
    await tx.change(deleteItems, { task: id });
    await tx.change(deleteTask, { task: id });
  }
  return expired.length;
}
