import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { statement, type Reader, type Tx } from '../../store/statement.ts';

/**
 * A worker's right to a task. It lasts until the lease ends, and every claim has a higher fence than the previous
 * one. Every write of a worker carries its fence and is refused after a newer claim (I8). So a worker that was
 * stopped and continued cannot overwrite its successor's work.
 */
export type Claim = {
  taskId: string;
  accountId: string;
  mode: 'live' | 'test';
  fence: number;
  holdId: string | null;
  deadlineAt: number;
  /** The list of the task, if any. */
  listId: string | null;
};

export const leaseMs = 30_000;
export const renewLeaseMs = 10_000;

/** `next_at` of the tasks of a paused list: no worker claims them or begins one of their addresses. */
export const shelved = Number.MAX_SAFE_INTEGER;

const completed = sql.lit('completed' as const);

const free = sql<boolean>`status <> 'completed' and lease_until = 0`;

/** Finds leased tasks: at most as many as all workers together may have, and those of workers that died. */
const findLeased = statement((db, arg: { mode: Claim['mode'] }) =>
  db
    .selectFrom('task')
    .select(['id', 'account_id', 'next_at', 'lease_until'])
    .where('lease_until', '>', sql.lit(0))
    .where('mode', '=', arg.mode),
);

const findFirstDue = statement((db, arg: { mode: Claim['mode']; now: number; limit: number }) =>
  db
    .selectFrom('task')
    .select(['account_id', 'next_at'])
    .where(free)
    .where('mode', '=', arg.mode)
    .where('next_at', '<=', arg.now)
    .orderBy('next_at')
    .orderBy('id')
    .limit(arg.limit),
);

type Waiting = { account_id: string; next_at: number };

/**
 * Finds the accounts with unleased tasks, each with its first task. The index leads from one account straight to
 * the next, past any number of tasks. It uses `limit` rather than `min()`: with a plan made for few rows,
 * PostgreSQL would compute that from all of them.
 */
const findWaitingAccounts = statement<{ mode: Claim['mode']; after: string; most: number }, Waiting>(
  (db, arg) => ({
    compile: () =>
      sql<Waiting>`
        with recursive waiting (account_id, place) as (
          select (select account_id from task where ${free} and mode = ${arg.mode} and account_id > ${arg.after}
                  order by account_id limit 1), 1
          union all
          select (select task.account_id from task
                  where ${free} and mode = ${arg.mode} and task.account_id > waiting.account_id
                  order by task.account_id limit 1), waiting.place + 1
          from waiting where waiting.account_id is not null and waiting.place < ${arg.most}
        )
        select waiting.account_id,
          (select next_at from task where ${free} and mode = ${arg.mode} and account_id = waiting.account_id
           order by next_at limit 1) as next_at
        from waiting where waiting.account_id is not null
      `.compile(db),
  }),
);

const findDueTask = statement((db, arg: { account: string; mode: Claim['mode']; now: number }) =>
  db
    .selectFrom('task')
    .select(['id', 'next_at'])
    .where(free)
    .where('account_id', '=', arg.account)
    .where('mode', '=', arg.mode)
    .where('next_at', '<=', arg.now)
    .orderBy('next_at')
    .orderBy('id')
    .limit(1)
    // Of many concurrent claims, each takes another task.
    .forUpdate()
    .skipLocked(),
);

const lockLapsed = statement((db, arg: { task: string; now: number }) =>
  db
    .selectFrom('task')
    .select('id')
    .where('id', '=', arg.task)
    .where('lease_until', '<=', arg.now)
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
 * The number of tasks that one account may have running at once, across all processes. They have more addresses
 * than its share of the slots, so more tasks would not help it. A heap of slow lists thus leaves room for tasks of
 * others.
 */
export const mostTasksOfAccount = 16;

/**
 * The number of tasks read at the head of the queue. Usually one of them belongs to an account without running
 * tasks.
 */
const tasksLookedAt = 32;

/** If every task at the head belongs to an account with running tasks: how many other accounts to look at. */
const accountsLookedAt = 256;

type ClaimRequest = { processId: string; mode: Claim['mode']; now: number };

type LeasedTask = Waiting & { id: string; lease_until: number };

/**
 * Claims the longest-waiting task of the account with the fewest running tasks. Tasks of live keys and of test keys
 * do not wait for each other, and are counted separately.
 *
 * The cost does not depend on the number of waiting tasks. It reads the leased tasks and the head of the queue, and
 * if that is not enough, the waiting accounts. If there are too many of these, it reads some, and others the next
 * time.
 */
export async function claimTask(tx: Tx, { processId, mode, now }: ClaimRequest): Promise<Claim | undefined> {
  const leased: LeasedTask[] = await tx.all(findLeased, { mode });
  const lapsed = leased.filter((task) => task.lease_until <= now && task.next_at <= now);
  const load = new Map<string, number>();
  for (const { account_id: account, lease_until: until } of leased)
    if (until > now) load.set(account, (load.get(account) ?? 0) + 1);
  const loadOf = ({ account_id: account }: Waiting) => load.get(account) ?? 0;

  const head: Waiting[] = await tx.all(findFirstDue, { mode, now, limit: tasksLookedAt });
  const waiting = [...lapsed, ...head];
  // An account without running tasks that is not at the head has waited less than all accounts there.
  const isTold = head.length < tasksLookedAt || waiting.some((task) => loadOf(task) === 0);
  if (!isTold) waiting.push(...(await waitingAccounts(tx, mode)));
  const [first] = waiting
    .filter((task) => task.next_at <= now && loadOf(task) < mostTasksOfAccount)
    .sort((a, b) => loadOf(a) - loadOf(b) || a.next_at - b.next_at);
  if (first === undefined) return undefined;
  const ownLapsed = lapsed.filter((task) => task.account_id === first.account_id);
  const taskId = await lockDueTask(tx, { accountId: first.account_id, lapsed: ownLapsed, mode, now });
  return taskId === undefined ? undefined : takeTask(tx, { taskId, processId, now });
}

/** Returns all waiting accounts; if there are too many, some from a random point of their order. */
async function waitingAccounts(tx: Tx, mode: Claim['mode']): Promise<Waiting[]> {
  const some = await tx.all(findWaitingAccounts, { mode, after: anywhere(), most: accountsLookedAt });
  const most = accountsLookedAt - some.length;
  return most === 0 ? some : [...some, ...(await tx.all(findWaitingAccounts, { mode, after: '', most }))];
}

/** Returns a random point in the order of the accounts (see accounts/create-account.ts for their ids). */
function anywhere(): string {
  return `acct_${randomBytes(8).toString('hex')}`;
}

type DueTasksOf = { accountId: string; lapsed: LeasedTask[]; mode: Claim['mode']; now: number };

async function lockDueTask(
  tx: Tx,
  { accountId, lapsed, mode, now }: DueTasksOf,
): Promise<string | undefined> {
  const waiting = await tx.first(findDueTask, { account: accountId, mode, now });
  const [oldest] = lapsed.sort((a, b) => a.next_at - b.next_at || (a.id < b.id ? -1 : 1));
  if (oldest === undefined || (waiting !== undefined && waiting.next_at <= oldest.next_at))
    return waiting?.id;
  return (await tx.first(lockLapsed, { task: oldest.id, now }))?.id ?? waiting?.id;
}

/** Claims one task. Returns `undefined` if another worker holds it, or it is completed. */
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

/**
 * Renews the lease. Returns `false` if the task is no longer ours or was put back: stop at once and discard the
 * results.
 */
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
    .set((eb) => ({
      lease_owner: null,
      lease_until: 0,
      next_at: eb.case().when('next_at', '=', eb.lit(shelved)).then(eb.lit(shelved)).else(arg.next).end(),
    }))
    .where('id', '=', arg.task)
    .where('fence', '=', arg.fence)
    .where('status', '=', 'running'),
);

/** Puts the task back; it is not claimed before `nextAt`, or before its list is resumed. */
export async function releaseTask(
  tx: Tx,
  claim: Pick<Claim, 'taskId' | 'fence'>,
  nextAt: number,
): Promise<void> {
  await tx.change(endLease, { task: claim.taskId, fence: claim.fence, next: nextAt });
}

const findShelved = statement((db, arg: { task: string }) =>
  db.selectFrom('task').select('id').where('id', '=', arg.task).where('next_at', '=', sql.lit(shelved)),
);

/** Tells whether the list of a task was paused since it was claimed. */
export async function isShelved(reader: Reader, taskId: string): Promise<boolean> {
  return (await reader.first(findShelved, { task: taskId })) !== undefined;
}

const endLeasesOf = statement((db, arg: { owner: string }) =>
  db
    .updateTable('task')
    .set({ lease_owner: null, lease_until: 0 })
    .where('status', '<>', completed)
    .where('lease_until', '>', sql.lit(0))
    .where('lease_owner', '=', arg.owner),
);

/** Releases the tasks of a dead process before their leases end. */
export async function releaseTasksOf(tx: Tx, processId: string): Promise<number> {
  return tx.change(endLeasesOf, { owner: processId });
}
