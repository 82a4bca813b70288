import { sql, type Kysely } from 'kysely';
import type { Schema } from '../../store/schema.ts';
import { statement } from '../../store/statement.ts';
import type { Store } from '../../store/store.ts';
import type { WallClock } from '../../store/wall-clock.ts';

/** The tasks of an account in one mode or both, the newest first, as long as they are kept. Nothing of their addresses. */
export type ListedTask = {
  taskId: string;
  name: string;
  status: Schema['task']['status'];
  mode: Schema['task']['mode'];
  total: number;
  checked: number;
  createdAt: number;
  completedAt: number | null;
  expiresAt: number | null;
  /** The key that created it; null where that was before it was written down. */
  keyId: string | null;
  /** What the task holds, or was charged once it is completed. */
  creditsUsed: number;
};

/** Where a page begins: after this task. */
export type TaskPlace = { createdAt: number; taskId: string };

export type ListTasksRequest = {
  accountId: string;
  /** Default: both, for the operator. */
  mode?: Mode;
  limit: number;
  after: TaskPlace | undefined;
};

type Mode = Schema['task']['mode'];

type Page = { account: string; at: number; task: string; now: number; limit: number };

function selectTasks(db: Kysely<Schema>, arg: Page) {
  return db
    .selectFrom('task')
    .leftJoin('hold', (join) =>
      join.onRef('hold.account_id', '=', 'task.account_id').onRef('hold.id', '=', 'task.hold_id'),
    )
    .select(['task.id', 'task.name', 'task.status', 'task.mode', 'task.total', 'task.checked'])
    .select(['task.created_at', 'task.completed_at', 'task.expires_at', 'task.key_id'])
    .select(['hold.state as hold_state', 'hold.credits as hold_credits', 'hold.charged as hold_charged'])
    .where('task.account_id', '=', arg.account)
    .where('task.list_id', 'is', null)
    .where(sql<boolean>`(task.created_at, task.id) < (${arg.at}, ${arg.task})`)
    .where((eb) => eb.or([eb('task.expires_at', 'is', null), eb('task.expires_at', '>', arg.now)]))
    .orderBy('task.created_at', 'desc')
    .orderBy('task.id', 'desc')
    .limit(arg.limit);
}

const findTasks = statement((db, arg: Page) => selectTasks(db, arg));

/** The mode is a literal: only so can a database use the index over the tasks of test keys. */
const findTasksIn = {
  live: statement((db, arg: Page) => selectTasks(db, arg).where('task.mode', '=', sql.lit('live' as const))),
  test: statement((db, arg: Page) => selectTasks(db, arg).where('task.mode', '=', sql.lit('test' as const))),
};

export async function listTasks(
  { accountId, mode, limit, after }: ListTasksRequest,
  { store, wallClock }: { store: Pick<Store, 'read'>; wallClock: WallClock },
): Promise<{ tasks: ListedTask[]; next: TaskPlace | undefined }> {
  const { createdAt: at, taskId: task } = after ?? { createdAt: Number.MAX_SAFE_INTEGER, taskId: '' };
  // One more than is shown, to know whether there is a next page.
  const asked = { account: accountId, at, task, now: wallClock.now(), limit: limit + 1 };
  const rows = await store.read.all(mode === undefined ? findTasks : findTasksIn[mode], asked);
  const tasks = rows.slice(0, limit).map((row) => ({
    taskId: row.id,
    name: row.name,
    status: row.status,
    mode: row.mode,
    total: row.total,
    checked: row.checked,
    createdAt: row.created_at,
    completedAt: row.completed_at,
    expiresAt: row.expires_at,
    keyId: row.key_id,
    creditsUsed: (row.hold_state === 'settled' ? row.hold_charged : row.hold_credits) ?? 0,
  }));
  return { tasks, next: rows.length > limit ? tasks.at(-1) : undefined };
}
