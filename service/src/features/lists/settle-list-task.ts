import { providerOf, type Explanation } from '@mailproof/engine';
import { sql } from 'kysely';
import { statement, type Tx } from '../../core/store/statement.ts';
import { shelved } from '../../core/verify/tasks/claim-task.ts';
import type { TaskVerdict } from '../../core/verify/tasks/result.ts';
import { endIfDone } from './end-list.ts';
import { planTasks } from './plan-tasks.ts';

/**
 * A task of a list has done what it can: its answers go to the rows, the addresses that were deferred go back to the list
 * to wait there, the task is gone, and the list plans its next one. One transaction, under the worker's fence.
 */
type SettleListTaskAnswer = { kind: 'settled'; answered: number } | { kind: 'stale_fence' };

const takeBack = statement((db, arg: { task: string; fence: number }) =>
  db
    .updateTable('task')
    .set((eb) => ({ lease_owner: null, lease_until: 0, fence: eb('fence', '+', eb.lit(1)) }))
    .where('id', '=', arg.task)
    .where('fence', '=', arg.fence)
    .where('status', '=', sql.lit('running'))
    .returning('list_id'),
);

export async function settleListTask(
  tx: Tx,
  { taskId, fence }: { taskId: string; fence: number },
  now: number,
): Promise<SettleListTaskAnswer> {
  const task = await tx.first(takeBack, { task: taskId, fence });
  if (task === undefined || task.list_id === null) return { kind: 'stale_fence' };
  const answered = await absorbTask(tx, { taskId, listId: task.list_id });
  await planTasks(tx, task.list_id, now);
  await endIfDone(tx, task.list_id, now);
  return { kind: 'settled', answered };
}

/** A program of the version before pauses a list and leaves its tasks as they are. */
const setAside = statement((db, arg: { task: string }) =>
  db
    .updateTable('task')
    .set({ next_at: shelved })
    .where('id', '=', arg.task)
    .where('list_id', 'in', (eb) =>
      eb
        .selectFrom('list')
        .select('list.id')
        .whereRef('list.id', '=', 'task.list_id')
        .where('list.state', '=', sql.lit('paused')),
    ),
);

/**
 * The list was paused: answers go to the rows, deferred addresses wait in the list, and the rest stays in the task until
 * the list goes on.
 */
export async function shelveListTask(
  tx: Tx,
  { taskId, fence }: { taskId: string; fence: number },
  now: number,
): Promise<SettleListTaskAnswer> {
  const task = await tx.first(takeBack, { task: taskId, fence });
  if (task === undefined || task.list_id === null) return { kind: 'stale_fence' };
  const answered = await absorbTask(tx, { taskId, listId: task.list_id, keepDueBy: now });
  await tx.change(setAside, { task: taskId });
  await endIfDone(tx, task.list_id, now);
  return { kind: 'settled', answered };
}

const findItems = statement((db, arg: { task: string }) =>
  db
    .selectFrom('item')
    .select([
      'list_row as row',
      'state',
      'conclusive',
      'verdict',
      'explanation',
      'next_at',
      'visits',
      'visited',
    ])
    .where('task_id', '=', arg.task)
    .orderBy('position'),
);

type Answer = {
  list: string;
  row: number;
  status: string;
  score: number | null;
  safe: number | null;
  deliverable: number | null;
  reason: string;
  provider: string;
  explanation: string;
  didYouMean: string | null;
};

const answerRow = statement((db, arg: Answer) =>
  db
    .updateTable('list_row')
    .set({
      status: arg.status,
      score: arg.score,
      safe: arg.safe,
      deliverable: arg.deliverable,
      reason: arg.reason,
      provider: arg.provider,
      explanation: arg.explanation,
      did_you_mean: arg.didYouMean,
      next_at: null,
    })
    .where('list_id', '=', arg.list)
    .where('row', '=', arg.row)
    .where('status', 'is', null),
);

const deferRow = statement(
  (db, arg: { list: string; row: number; next: number; visits: number; visited: string | null }) =>
    db
      .updateTable('list_row')
      .set({ next_at: arg.next, visits: arg.visits, visited: arg.visited })
      .where('list_id', '=', arg.list)
      .where('row', '=', arg.row)
      .where('status', 'is', null),
);

const addToCount = statement(
  (db, arg: { list: string; status: string; provider: string; addresses: number }) =>
    db
      .insertInto('list_count')
      .values({ list_id: arg.list, status: arg.status, provider: arg.provider, addresses: arg.addresses })
      .onConflict((conflict) =>
        conflict.columns(['list_id', 'status', 'provider']).doUpdateSet((eb) => ({
          addresses: eb('list_count.addresses', '+', eb.ref('excluded.addresses')),
        })),
      ),
);

type Totals = { list: string; checked: number; conclusive: number; waiting: number; next: number };

const addTotals = statement((db, arg: Totals) =>
  db
    .updateTable('list')
    .set((eb) => ({
      checked: eb('checked', '+', arg.checked),
      conclusive: eb('conclusive', '+', arg.conclusive),
      waiting: eb('waiting', '+', arg.waiting),
      next_due: eb
        .case()
        .when('next_due', '<', arg.next)
        .then(eb.ref('next_due'))
        .when(eb.val(arg.waiting), '=', 0)
        .then(eb.ref('next_due'))
        .else(arg.next)
        .end(),
    }))
    .where('id', '=', arg.list),
);

const deleteItems = statement((db, arg: { task: string; due: number }) =>
  db
    .deleteFrom('item')
    .where('task_id', '=', arg.task)
    .where((eb) => eb.or([eb('state', '=', sql.lit('done')), eb('next_at', '>', arg.due)])),
);
const shrinkTask = statement((db, arg: { task: string; total: number }) =>
  db.updateTable('task').set({ total: arg.total, checked: 0 }).where('id', '=', arg.task),
);
const deleteTask = statement((db, arg: { task: string }) => db.deleteFrom('task').where('id', '=', arg.task));

type Absorbed = {
  taskId: string;
  listId: string;
  /** If given, the addresses that are due by then stay in the task. */
  keepDueBy?: number;
};

/** Moves what a task has found into the list and removes the task; those it did not answer wait in the list. */
export async function absorbTask(tx: Tx, { taskId, listId, keepDueBy: due = -1 }: Absorbed): Promise<number> {
  const all = await tx.all(findItems, { task: taskId });
  const items = all.filter(({ state, next_at: next }) => state === 'done' || next > due);
  const counts = new Map<string, { status: string; provider: string; addresses: number }>();
  const totals: Totals = {
    list: listId,
    checked: 0,
    conclusive: 0,
    waiting: 0,
    next: Number.MAX_SAFE_INTEGER,
  };
  // All is sent at once, in order: to wait for each answer would hold the account's place for as many round trips.
  const sent: Promise<unknown>[] = [];
  for (const { row, state, conclusive, verdict, explanation, next_at: next, visits, visited } of items) {
    if (row === null) throw new Error('an address of a list does not know its row');
    if (state === 'pending') {
      sent.push(tx.change(deferRow, { list: listId, row, next, visits, visited }));
      totals.waiting += 1;
      totals.next = Math.min(totals.next, next);
      continue;
    }
    const answer = answerOf(verdict, explanation);
    sent.push(tx.change(answerRow, { list: listId, row, ...answer }));
    totals.checked += 1;
    totals.conclusive += conclusive;
    const { status, provider } = answer;
    const count = counts.get(`${status} ${provider}`) ?? { status, provider, addresses: 0 };
    counts.set(`${status} ${provider}`, { ...count, addresses: count.addresses + 1 });
  }
  for (const count of counts.values()) sent.push(tx.change(addToCount, { list: listId, ...count }));
  sent.push(tx.change(addTotals, totals));
  sent.push(tx.change(deleteItems, { task: taskId, due }));
  const kept = all.length - items.length;
  if (kept > 0) sent.push(tx.change(shrinkTask, { task: taskId, total: kept }));
  else sent.push(tx.change(deleteTask, { task: taskId }));
  await Promise.all(sent);
  return totals.checked;
}

/** Only `recordResult` writes verdicts and explanations. */
function answerOf(verdictText: string | null, explanationText: string | null): Omit<Answer, 'list' | 'row'> {
  const verdict = JSON.parse(verdictText ?? 'null') as TaskVerdict;
  const {
    reason,
    mail_host: host,
    did_you_mean: didYouMean,
  } = JSON.parse(explanationText ?? '{}') as Partial<Explanation>;
  return {
    status: verdict.status,
    score: 'overall_score' in verdict ? verdict.overall_score : null,
    safe: 'is_safe_to_send' in verdict ? Number(verdict.is_safe_to_send) : null,
    deliverable: 'is_deliverable' in verdict ? Number(verdict.is_deliverable) : null,
    reason: reason ?? '',
    provider: host === undefined ? 'none' : (providerOf(host)?.id ?? 'other'),
    explanation: explanationText ?? '',
    didYouMean: didYouMean ?? null,
  };
}
