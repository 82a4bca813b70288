import type { Explanation } from '@mailproof/engine';
import { statement } from '../db/statement.ts';
import type { Store } from '../db/store.ts';
import type { WallClock } from '../db/wall-clock.ts';
import type { Caller } from '../keys/authenticate.ts';
import type { TaskVerdict } from './result.ts';

/**
 * A task as its owner sees it. Every query carries the account, so that another account's task, an expired
 * one and one that never was cannot be told apart (threats E5).
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
      /** Only of a completed task. */
      results: TaskResult[] | undefined;
    }
  | { kind: 'task_not_found' };

export type TaskResult = { email: string; verdict: TaskVerdict; readonly explanation: Explanation };

const findTask = statement((db, arg: { task: string; account: string; now: number }) =>
  db
    .selectFrom('task')
    .leftJoin('hold', (join) =>
      join.onRef('hold.account_id', '=', 'task.account_id').onRef('hold.id', '=', 'task.hold_id'),
    )
    .select(['task.name', 'task.status', 'task.total', 'task.checked'])
    .select(['hold.state as hold_state', 'hold.credits as hold_credits', 'hold.charged as hold_charged'])
    .where('task.id', '=', arg.task)
    .where('task.account_id', '=', arg.account)
    .where((eb) => eb.or([eb('task.expires_at', 'is', null), eb('task.expires_at', '>', arg.now)])),
);

const findResults = statement((db, arg: { task: string }) =>
  db
    .selectFrom('item')
    .select(['email', 'verdict', 'explanation'])
    .where('task_id', '=', arg.task)
    .orderBy('position'),
);

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

export async function readTask(
  caller: Pick<Caller, 'accountId'>,
  taskId: string,
  { store, wallClock }: { store: Pick<Store, 'read'>; wallClock: WallClock },
): Promise<ReadTaskAnswer> {
  if (!uuid.test(taskId)) return { kind: 'task_not_found' };
  const key = { task: taskId, account: caller.accountId, now: wallClock.now() };
  const task = await store.read.first(findTask, key);
  if (task === undefined) return { kind: 'task_not_found' };
  const { name, status, total, checked } = task;
  const creditsUsed = (task.hold_state === 'settled' ? task.hold_charged : task.hold_credits) ?? 0;
  const rows = status === 'completed' ? await store.read.all(findResults, { task: taskId }) : undefined;
  return { kind: 'task', taskId, name, status, total, checked, creditsUsed, results: rows?.map(toResult) };
}

type Row = { email: string; verdict: string | null; explanation: string | null };

/** Explanations are long and seldom asked for: each is read when it is looked at. `recordResult` wrote both. */
function toResult({ email, verdict, explanation }: Row): TaskResult {
  return {
    email,
    verdict: JSON.parse(verdict ?? 'null') as TaskVerdict,
    get explanation() {
      return JSON.parse(explanation ?? 'null') as Explanation;
    },
  };
}
