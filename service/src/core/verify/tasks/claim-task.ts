import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { statement, type Reader, type Tx } from '../../store/statement.ts';

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

/** `next_at` of the tasks of a paused list: nobody claims them, and none of their addresses is begun. */
export const shelved = Number.MAX_SAFE_INTEGER;

const completed = sql.lit('completed' as const);

const free = sql<boolean>`status <> 'completed' and lease_until = 0`;

/** Tasks that somebody holds or held: as many as all workers together may have, and those of workers that died. */
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
 * The accounts that have tasks nobody holds, each with its first: from one account straight to the next by the index,
 * whatever number of tasks stands between them. Written with `limit` and not with `min()`, which PostgreSQL takes from all
 * of the rows where it made its plan while there were few.
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
    // Where many claim at once, each takes another.
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
 * Tasks that one account has under way at once, over all processes. They hold more addresses than its share of the
 * slots, so more would be of no use to it, and a heap of slow lists leaves room for the others' tasks.
 */
export const mostTasksOfAccount = 16;

/** So many tasks at the head of the queue are looked at; as a rule one of them is of an account that has none under way. */
const tasksLookedAt = 32;

/** Where all of these are of accounts that have: so many other accounts that wait. */
const accountsLookedAt = 256;

type ClaimRequest = { processId: string; mode: Claim['mode']; now: number };

type LeasedTask = Waiting & { id: string; lease_until: number };

/**
 * Claims the task that has waited longest, of the account that has the fewest under way. The tasks of live keys and
 * those of test keys do not wait for each other, nor does either count for the other.
 *
 * It costs the same however many tasks wait: it looks at those that are held, at the head of the queue, and where that does
 * not tell, at the accounts that wait. Where more accounts wait than are looked at, some of them are, others the next time.
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
  // Whoever has none under way and is not in the head has waited for less long than all who are.
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

/** All of them, or where there are more than are looked at, some from anywhere in their order. */
async function waitingAccounts(tx: Tx, mode: Claim['mode']): Promise<Waiting[]> {
  const some = await tx.all(findWaitingAccounts, { mode, after: anywhere(), most: accountsLookedAt });
  const most = accountsLookedAt - some.length;
  return most === 0 ? some : [...some, ...(await tx.all(findWaitingAccounts, { mode, after: '', most }))];
}

/** Before or after any account (see accounts/create-account.ts for their ids). */
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
    .set((eb) => ({
      lease_owner: null,
      lease_until: 0,
      next_at: eb.case().when('next_at', '=', eb.lit(shelved)).then(eb.lit(shelved)).else(arg.next).end(),
    }))
    .where('id', '=', arg.task)
    .where('fence', '=', arg.fence)
    .where('status', '=', 'running'),
);

/** Puts the task back, not to be claimed before `nextAt`, nor before its list goes on. */
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

/** Whether the list of a task was paused since it was claimed. */
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

/** A process was found dead: its tasks need not wait for the end of their leases. */
export async function releaseTasksOf(tx: Tx, processId: string): Promise<number> {
  return tx.change(endLeasesOf, { owner: processId });
}
