import { sql } from 'kysely';
import { statement, type Tx } from '../db/statement.ts';

/**
 * A worker's right to a task: it lasts until the lease ends, and every claim has a higher fence than the one
 * before. All that a worker writes carries its fence and is refused when another claim was made since (I8),
 * so that a worker that was stopped and continued cannot write over its successor.
 */
export type Claim = {
  taskId: string;
  accountId: string;
  mode: 'live' | 'test';
  fence: number;
  holdId: string | null;
  deadlineAt: number;
  /** The list that the task is a part of. */
  listId: string | null;
};

export const leaseMs = 30_000;
export const renewLeaseMs = 10_000;

const completed = sql.lit('completed' as const);

const countLeased = statement((db, arg: { mode: Claim['mode']; now: number }) =>
  db
    .selectFrom('task')
    .select(['account_id', (eb) => eb.fn.countAll<number>().as('tasks')])
    .where('status', '<>', completed)
    .where('mode', '=', arg.mode)
    .where('lease_until', '>', arg.now)
    .groupBy('account_id'),
);

const findDueAccounts = statement((db, arg: { mode: Claim['mode']; now: number }) =>
  db
    .selectFrom('task')
    .select(['account_id', (eb) => eb.fn.min('next_at').as('since')])
    .where('status', '<>', completed)
    .where('mode', '=', arg.mode)
    .where('next_at', '<=', arg.now)
    .where('lease_until', '<=', arg.now)
    .groupBy('account_id'),
);

const findDueTask = statement((db, arg: { account: string; mode: Claim['mode']; now: number }) =>
  db
    .selectFrom('task')
    .select('id')
    .where('account_id', '=', arg.account)
    .where('status', '<>', completed)
    .where('mode', '=', arg.mode)
    .where('next_at', '<=', arg.now)
    .where('lease_until', '<=', arg.now)
    .orderBy('next_at')
    .orderBy('id')
    .limit(1)
    // Where many claim at once, each takes another.
    .forUpdate()
    .skipLocked(),
);

const takeLease = statement((db, arg: { task: string; owner: string; until: number; now: number }) =>
  db
    .updateTable('task')
    .set((eb) => ({
      status: 'running' as const,
      fence: eb('fence', '+', eb.lit(1)),
      lease_owner: arg.owner,
      lease_until: arg.until,
    }))
    .where('id', '=', arg.task)
    .where('status', '<>', completed)
    .where('lease_until', '<=', arg.now)
    .returning(['account_id', 'mode', 'fence', 'hold_id', 'deadline_at', 'list_id']),
);

/**
 * Tasks that one account has under way at once, over all processes. They hold more addresses than its share of the
 * slots, so more would be of no use to it, and a heap of slow lists leaves room for the others' tasks.
 */
export const mostTasksOfAccount = 16;

/**
 * Claims the task that has waited longest, of the account that has the fewest under way. The tasks of live keys and
 * those of test keys do not wait for each other, nor does either count for the other.
 */
export async function claimTask(
  tx: Tx,
  { processId, mode, now }: { processId: string; mode: Claim['mode']; now: number },
): Promise<Claim | undefined> {
  const due = await tx.all(findDueAccounts, { mode, now });
  if (due.length === 0) return undefined;
  const leased = new Map(
    (await tx.all(countLeased, { mode, now })).map((row) => [row.account_id, row.tasks]),
  );
  const loadOf = (account: { account_id: string }) => leased.get(account.account_id) ?? 0;
  const [first] = due
    .filter((account) => loadOf(account) < mostTasksOfAccount)
    .sort((a, b) => loadOf(a) - loadOf(b) || a.since - b.since);
  const task = first && (await tx.first(findDueTask, { account: first.account_id, mode, now }));
  return task && takeTask(tx, { taskId: task.id, processId, now });
}

/** `undefined` where another holds it, or it is completed. */
export async function takeTask(
  tx: Tx,
  { taskId, processId, now }: { taskId: string; processId: string; now: number },
): Promise<Claim | undefined> {
  const row = await tx.first(takeLease, { task: taskId, owner: processId, until: now + leaseMs, now });
  return (
    row && {
      taskId,
      accountId: row.account_id,
      mode: row.mode,
      fence: row.fence,
      holdId: row.hold_id,
      deadlineAt: row.deadline_at,
      listId: row.list_id,
    }
  );
}

const extendLease = statement((db, arg: { task: string; fence: number; until: number }) =>
  db
    .updateTable('task')
    .set({ lease_until: arg.until })
    .where('id', '=', arg.task)
    .where('fence', '=', arg.fence)
    .where('status', '=', 'running')
    .where('lease_owner', 'is not', null),
);

/** `false` where the task is no longer ours or was put back: stop at once and discard what was found. */
export async function renewLease(
  tx: Tx,
  claim: Pick<Claim, 'taskId' | 'fence'>,
  now: number,
): Promise<boolean> {
  return (
    (await tx.change(extendLease, { task: claim.taskId, fence: claim.fence, until: now + leaseMs })) === 1
  );
}

const endLease = statement((db, arg: { task: string; fence: number; next: number }) =>
  db
    .updateTable('task')
    .set({ lease_owner: null, lease_until: 0, next_at: arg.next })
    .where('id', '=', arg.task)
    .where('fence', '=', arg.fence)
    .where('status', '=', 'running'),
);

/** Puts the task back, not to be claimed before `nextAt`. */
export async function releaseTask(
  tx: Tx,
  claim: Pick<Claim, 'taskId' | 'fence'>,
  nextAt: number,
): Promise<void> {
  await tx.change(endLease, { task: claim.taskId, fence: claim.fence, next: nextAt });
}

const endLeasesOf = statement((db, arg: { owner: string }) =>
  db
    .updateTable('task')
    .set({ lease_owner: null, lease_until: 0 })
    .where('status', '<>', completed)
    .where('lease_until', '>', sql.lit(0))
    .where('lease_owner', '=', arg.owner),
);

/** A process was found dead: its tasks need not wait for the end of their leases. */
export async function releaseTasksOf(tx: Tx, processId: string): Promise<number> {
  return tx.change(endLeasesOf, { owner: processId });
}
