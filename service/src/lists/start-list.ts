import { reserve } from '../credits/reserve.ts';
import { statement, type Tx } from '../db/statement.ts';
import { findList, type List } from './list.ts';
import { planTasks } from './plan-tasks.ts';

/**
 * Starts a surveyed list: reserves a credit for every address that it checks and hands the first of them to tasks. One
 * transaction, so that a running list is never without its credits.
 */
type StartListOrder = {
  accountId: string;
  listId: string;
  /** Only so many addresses, from the top of the file. */
  first: number | undefined;
  requestId: string;
  deadlineMs: number;
  now: number;
};

export type StartListAnswer =
  | { kind: 'started' }
  | { kind: 'list_not_found' }
  /** It runs already, or has ended, or its column is being changed. */
  | { kind: 'wrong_state'; state: List['state'] }
  | { kind: 'insufficient_credits' }
  | { kind: 'account_frozen' };

const findNthAddress = statement((db, arg: { list: string; before: number }) =>
  db
    .selectFrom('list_row')
    .select('row')
    .where('list_id', '=', arg.list)
    .where('kind', '=', 'address')
    .orderBy('row')
    .limit(1)
    .offset(arg.before),
);

type Start = {
  list: string;
  wanted: number;
  last: number;
  hold: string | null;
  now: number;
  deadline: number;
};

const writeStart = statement((db, arg: Start) =>
  db
    .updateTable('list')
    .set({
      state: 'running',
      wanted: arg.wanted,
      last_row: arg.last,
      hold_id: arg.hold,
      started_at: arg.now,
      deadline_at: arg.deadline,
    })
    .where('id', '=', arg.list)
    .where('state', '=', 'surveyed'),
);

export async function startList(tx: Tx, order: StartListOrder): Promise<StartListAnswer> {
  const list = await findList(tx, order);
  if (list === undefined) return { kind: 'list_not_found' };
  if (list.state !== 'surveyed' || list.plan === undefined) return { kind: 'wrong_state', state: list.state };
  const { now } = order;
  const wanted = Math.min(order.first ?? Infinity, list.counts.addresses);
  const lastRow = await findLastRow(tx, list, wanted);
  const held = await holdCredits(tx, list, { ...order, wanted });
  if (held.kind !== 'held') return held;
  const started = await tx.change(writeStart, {
    list: list.id,
    wanted,
    last: lastRow,
    hold: held.holdId,
    now,
    deadline: now + order.deadlineMs,
  });
  if (started !== 1) throw new Error('a list was started by two requests');
  await planTasks(tx, list.id, now);
  return { kind: 'started' };
}

/** The row of the last address that is checked. Where all are, the rows need not be counted. */
async function findLastRow(tx: Tx, { id, counts }: List, wanted: number): Promise<number> {
  if (wanted === 0 || wanted === counts.addresses) return wanted === 0 ? 0 : counts.rows;
  return (await tx.first(findNthAddress, { list: id, before: wanted - 1 }))?.row ?? 0;
}

type Held =
  { kind: 'held'; holdId: string | null } | { kind: 'insufficient_credits' } | { kind: 'account_frozen' };

/** The sandbox costs nothing; nor does a list without addresses. */
async function holdCredits(
  tx: Tx,
  { accountId, mode }: List,
  { wanted, requestId, now }: StartListOrder & { wanted: number },
): Promise<Held> {
  if (mode === 'test' || wanted === 0) return { kind: 'held', holdId: null };
  const reserved = await reserve(tx, {
    accountId,
    credits: wanted,
    ifAvailable: wanted,
    keeper: null,
    holdId: requestId,
    now,
  });
  return reserved.kind === 'reserved' ? { kind: 'held', holdId: reserved.holdId } : reserved;
}
