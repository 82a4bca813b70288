import { sql } from 'kysely';
import { statement } from '../../store/statement.ts';
import type { Store } from '../../store/store.ts';
import { shelved } from './claim-task.ts';

/**
 * Tasks that are not completed: how many wait for their first worker, since when, and how many are running. Where there
 * are more than are counted, it is those that come first that are, so the oldest is right, and it costs the same.
 */
type TaskQueue = { waiting: number; running: number; oldestWaitingAt: number | undefined };

/** Of either mode. A queue that is longer is long enough to know. */
export const mostTasksCounted = 10_000;

const modes = ['live', 'test'] as const;

type Mode = (typeof modes)[number];

/** As many as all workers together may have. */
const countHeld = statement((db, arg: { mode: Mode }) =>
  db
    .selectFrom('task')
    .select((eb) => eb.fn.countAll<number>().as('tasks'))
    .where('lease_until', '>', sql.lit(0))
    .where('mode', '=', arg.mode),
);

/** Those that nobody holds, in the order in which they are claimed; those of paused lists wait for nobody. */
const countFree = statement((db, arg: { mode: Mode; most: number }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('task')
        .select(['status', 'created_at'])
        .where(sql<boolean>`status <> 'completed' and lease_until = 0`)
        .where('mode', '=', arg.mode)
        .where('next_at', '<', sql.lit(shelved))
        .orderBy('next_at')
        .limit(arg.most)
        .as('head'),
    )
    .select(['status', (eb) => eb.fn.countAll<number>().as('tasks')])
    .select((eb) => eb.fn.min('created_at').as('oldest'))
    .groupBy('status'),
);

export async function readTaskQueue(
  { store }: { store: Pick<Store, 'read'> },
  most = mostTasksCounted,
): Promise<TaskQueue> {
  let [waiting, running] = [0, 0];
  let oldestWaitingAt: number | undefined;
  for (const mode of modes) {
    running += (await store.read.first(countHeld, { mode }))?.tasks ?? 0;
    for (const { status, tasks, oldest } of await store.read.all(countFree, { mode, most })) {
      if (status !== 'waiting') running += tasks;
      else {
        waiting += tasks;
        oldestWaitingAt = Math.min(oldest, oldestWaitingAt ?? oldest);
      }
    }
  }
  const counted = (tasks: number) => Math.min(tasks, most);
  return { waiting: counted(waiting), running: counted(running), oldestWaitingAt };
}
