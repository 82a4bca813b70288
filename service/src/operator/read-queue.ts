import { sql } from 'kysely';
import { statement } from '../db/statement.ts';
import type { Store } from '../db/store.ts';

/** Tasks that are not completed: how many wait for a worker, since when, and how many are under way. */
export type Queue = { waiting: number; running: number; oldestWaitingAt: number | undefined };

const countUnfinished = statement((db) =>
  db
    .selectFrom('task')
    .select(['status', (eb) => eb.fn.countAll<number>().as('tasks')])
    .select((eb) => eb.fn.min('created_at').as('oldest'))
    .where('status', '<>', sql.lit('completed'))
    .groupBy('status'),
);

export async function readQueue({ store }: { store: Pick<Store, 'read'> }): Promise<Queue> {
  const rows = await store.read.all(countUnfinished, {});
  const waiting = rows.find(({ status }) => status === 'waiting');
  const running = rows.find(({ status }) => status === 'running');
  return {
    waiting: waiting?.tasks ?? 0,
    running: running?.tasks ?? 0,
    oldestWaitingAt: waiting?.oldest,
  };
}
