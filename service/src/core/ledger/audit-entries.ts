import { statement, type Reader } from '../store/statement.ts';
import type { Balance } from './credits.ts';
import type { Violation } from './violation.ts';

/**
 * Reads a ledger on from an entry that was audited before: checks every entry against its hold (I4), that none is
 * missing (I10), and adds up the figures that they leave behind, which the account has to show (I2).
 */
export type LedgerPoint = Balance & {
  /** The number of the last entry that is counted in. */
  entries: number;
};

export const emptyLedger: LedgerPoint = { entries: 0, granted: 0, available: 0, reserved: 0, spent: 0 };

type EntrySlice = {
  through: LedgerPoint;
  violations: Omit<Violation, 'accountId'>[];
  /** Those of tasks and lists among the holds that the entries are of. */
  taskHolds: TaskHold[];
  reachedEnd: boolean;
};

export type TaskHold = { id: string; isOpen: boolean };

/** So many are read in a few milliseconds. */
export const mostEntriesInSlice = 500;

const findEntries = statement((db, arg: { account: string; after: number; limit: number }) =>
  db
    .selectFrom('entry')
    .leftJoin('hold', (join) =>
      join.onRef('hold.account_id', '=', 'entry.account_id').onRef('hold.id', '=', 'entry.hold_id'),
    )
    .select(['entry.number', 'entry.kind', 'entry.credits', 'entry.op', 'entry.hold_id'])
    .select(['hold.credits as held', 'hold.state', 'hold.charged', 'hold.released', 'hold.expires_at'])
    .where('entry.account_id', '=', arg.account)
    .where('entry.number', '>', arg.after)
    .orderBy('entry.number')
    .limit(arg.limit),
);

type EntryRow = {
  number: number;
  kind: 'grant' | 'reserve' | 'charge' | 'release';
  credits: number;
  op: string;
  hold_id: string | null;
  held: number | null;
  state: 'open' | 'settled' | null;
  charged: number | null;
  released: number | null;
  expires_at: number | null;
};

export async function auditEntries(
  reader: Reader,
  accountId: string,
  { from, most }: { from: LedgerPoint; most: number },
): Promise<EntrySlice> {
  const after = { account: accountId, after: from.entries, limit: most };
  const rows: EntryRow[] = await reader.all(findEntries, after);
  const slice: EntrySlice = {
    through: from,
    violations: [],
    taskHolds: [],
    reachedEnd: rows.length < most,
  };
  const taskHolds = new Map<string, TaskHold>();
  for (const row of rows) {
    const found = (invariant: string, detail: string) =>
      slice.violations.push({ invariant, entry: row.number, detail });
    if (row.number !== slice.through.entries + 1) found('I10', 'entries are numbered without gaps');
    if (!hasItsHold(row)) found('I4', `${row.kind} of ${row.credits} and its hold disagree`);
    if (row.hold_id !== null && row.state !== null && row.expires_at === null)
      taskHolds.set(row.hold_id, { id: row.hold_id, isOpen: row.state === 'open' });
    slice.through = { ...afterEntry(slice.through, row), entries: row.number };
  }
  slice.taskHolds = [...taskHolds.values()];
  return slice;
}

function hasItsHold({ kind, credits, op, hold_id, held, state, charged, released }: EntryRow): boolean {
  if (kind !== 'grant' && op !== `${kind}:${hold_id}`) return false;
  switch (kind) {
    case 'grant':
      return hold_id === null;
    case 'reserve':
      return held === credits;
    case 'charge':
      return state === 'settled' && charged === credits;
    case 'release':
      return state === 'settled' && released === credits;
  }
}

function afterEntry(
  { granted, available, reserved, spent }: Balance,
  { kind, credits }: Pick<EntryRow, 'kind' | 'credits'>,
): Balance {
  switch (kind) {
    case 'grant':
      return { granted: granted + credits, available: available + credits, reserved, spent };
    case 'reserve':
      return { granted, available: available - credits, reserved: reserved + credits, spent };
    case 'charge':
      return { granted, available, reserved: reserved - credits, spent: spent + credits };
    case 'release':
      return { granted, available: available + credits, reserved: reserved - credits, spent };
  }
}
