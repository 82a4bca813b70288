import { statement } from '../../store/statement.ts';
import type { Store } from '../../store/store.ts';
import type { WallClock } from '../../store/wall-clock.ts';
import type { Caller } from '../../keys/authenticate.ts';
import { presentResults } from './present-results.ts';
import { isUuid } from '../../store/is-uuid.ts';

/**
 * A task as its owner sees it. Every query carries the account and the mode of the key. Another account's task, one of
 * the other mode, an expired one and an unknown id have the same answer.
 */
export type ReadTaskAnswer =
  | {
      kind: 'task';
      taskId: string;
      name: string;
      status: 'waiting' | 'running' | 'completed';
      total: number;
      checked: number;
      /** What the task holds, or was charged once it is completed. */
      creditsUsed: number;
      /** Only of a completed task: from address to record, as the contract shows it. */
      resultsJson: string | undefined;
    }
  | { kind: 'task_not_found' };

export type ReadTaskRequest = {
  caller: Pick<Caller, 'accountId' | 'mode'>;
  taskId: string;
  explain: boolean;
};

type TaskKey = { task: string; account: string; mode: Caller['mode']; now: number };

const findTask = statement((db, arg: TaskKey) =>
  db
    .selectFrom('task')
    .leftJoin('hold', (join) =>
      join.onRef('hold.account_id', '=', 'task.account_id').onRef('hold.id', '=', 'task.hold_id'),
    )
    .select(['task.name', 'task.status', 'task.total', 'task.checked', 'task.results'])
    .select(['hold.state as hold_state', 'hold.credits as hold_credits', 'hold.charged as hold_charged'])
    .where('task.id', '=', arg.task)
    .where('task.account_id', '=', arg.account)
    .where('task.mode', '=', arg.mode)
    .where('task.list_id', 'is', null)
    .where((eb) => eb.or([eb('task.expires_at', 'is', null), eb('task.expires_at', '>', arg.now)])),
);

export async function readTask(
  { caller, taskId, explain }: ReadTaskRequest,
  { store, wallClock }: { store: Pick<Store, 'read'>; wallClock: WallClock },
): Promise<ReadTaskAnswer> {
  if (!isUuid(taskId)) return { kind: 'task_not_found' };
  const key = { task: taskId, account: caller.accountId, mode: caller.mode, now: wallClock.now() };
  const task = await store.read.first(findTask, key);
  if (task === undefined) return { kind: 'task_not_found' };
  const { name, status, total, checked } = task;
  const creditsUsed = (task.hold_state === 'settled' ? task.hold_charged : task.hold_credits) ?? 0;
  // Explanations are long and seldom asked for: they are looked up.
  const ready = explain ? null : task.results;
  const resultsJson =
    status === 'completed' ? (ready ?? (await presentResults(store.read, taskId, { explain }))) : undefined;
  return { kind: 'task', taskId, name, status, total, checked, creditsUsed, resultsJson };
}
