import type { ReservingKey } from '../../core/ledger/daily-cap.ts';
import { reserve, type ReserveRefusal } from '../../core/ledger/reserve.ts';
import { othersFirst } from '../../core/store/others-first.ts';
import { statement, type Reader, type Tx } from '../../core/store/statement.ts';
import { findList, type List, type ListOwner } from './list.ts';
import { planTasks } from './plan-tasks.ts';

/**
 * Starts a surveyed list: reserves a credit for every address that it checks and hands the first of them to tasks. One
 * transaction, so that a running list is never without its credits.
 */
type StartListOrder = ListOwner & {
  /** The key that starts it. */
  key: ReservingKey;
  listId: string;
  scope: StartScope;
  requestId: string;
  deadlineMs: number;
  now: number;
};

export type StartListAnswer =
  | { kind: 'started' }
  | { kind: 'list_not_found' }
  /** It runs already, or has ended, or its column is being changed. */
  | { kind: 'wrong_state'; state: List['state'] }
  | ReserveRefusal;

/** Which addresses are checked: so many, up to this row, as long as the list is surveyed as it was. */
type StartScope = { wanted: number; lastRow: number; plan: List['plan'] };

const countAddresses = statement((db, arg: { list: string; after: number; to: number }) =>
  db
    .selectFrom('list_row')
    .select((eb) => eb.fn.countAll<number>().as('addresses'))
    .where('list_id', '=', arg.list)
    .where('kind', '=', 'address')
    .where('row', '>', arg.after)
    .where('row', '<=', arg.to),
);

const findNthAddress = statement((db, arg: { list: string; after: number; before: number }) =>
  db
    .selectFrom('list_row')
    .select('row')
    .where('list_id', '=', arg.list)
    .where('kind', '=', 'address')
    .where('row', '>', arg.after)
    .orderBy('row')
    .limit(1)
    .offset(arg.before),
);

const rowsCountedAtOnce = 10_000;

/**
 * What a start is about, where `first` says that only so many addresses are checked, from the top of the file. Rows may be
 * many, so they are counted before the start itself, slice by slice, and others come first between two of them.
 */
export async function readStartScope(
  reader: Reader,
  list: Pick<List, 'id' | 'counts' | 'plan'>,
  first = Infinity,
): Promise<StartScope> {
  const { id, plan, counts } = list;
  const wanted = Math.min(first, counts.addresses);
  if (wanted === 0 || wanted === counts.addresses)
    return { wanted, plan, lastRow: wanted === 0 ? 0 : counts.rows };
  let before = wanted - 1;
  for (let after = 0; after < counts.rows; after += rowsCountedAtOnce) {
    const slice = { list: id, after, to: after + rowsCountedAtOnce };
    const { addresses } = (await reader.first(countAddresses, slice)) ?? { addresses: 0 };
    if (before < addresses) {
      const last = await reader.first(findNthAddress, { list: id, after, before });
      return { wanted, plan, lastRow: last?.row ?? 0 };
    }
    before -= addresses;
    await othersFirst();
  }
  // It was deleted or surveyed anew meanwhile, and the start will find that it is not the list it was.
  return { wanted, plan: undefined, lastRow: 0 };
}

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
  const { now, scope } = order;
  const { wanted, lastRow } = scope;
  if (JSON.stringify(scope.plan) !== JSON.stringify(list.plan))
    return { kind: 'wrong_state', state: list.state };
  const held = await holdCredits(tx, list, order);
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

type Held = { kind: 'held'; holdId: string | null } | ReserveRefusal;

/** The sandbox costs nothing; nor does a list without addresses. */
async function holdCredits(
  tx: Tx,
  { accountId, mode }: List,
  { scope: { wanted }, key, requestId, now }: StartListOrder,
): Promise<Held> {
  if (mode === 'test' || wanted === 0) return { kind: 'held', holdId: null };
  const reserved = await reserve(tx, {
    accountId,
    key,
    credits: wanted,
    ifAvailable: wanted,
    keeper: null,
    holdId: requestId,
    now,
  });
  return reserved.kind === 'reserved' ? { kind: 'held', holdId: reserved.holdId } : reserved;
}
