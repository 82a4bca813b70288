import { sql } from 'kysely';
import type { Schema } from '../store/schema.ts';
import { statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';

/**
 * The ledger as a statement that adds up: the newest entry first, each with the figures it left behind.
 *
 * The figures are not stored with the entries. They are worked out backwards: the account shows what the last entry
 * left, and taking an entry back shows what was before it. The first page begins with the account, read in the same
 * statement as its entries; each next page begins with what the page before ended with. So a page costs as much
 * as it is long, however long the ledger is.
 */
export type LedgerEntry = Pick<Schema['entry'], 'number' | 'kind' | 'credits' | 'at'> &
  Figures & {
    /** The task it was for, while there is one. */
    taskId: string | undefined;
    /** The request it was for; a grant is for none. */
    requestId: string | undefined;
  };

type Figures = { available: number; reserved: number; spent: number };

/** Where a page begins: an entry, and what it left behind. */
export type LedgerPlace = Figures & { number: number };

export type LedgerRequest = { accountId: string; limit: number; from: LedgerPlace | undefined };

export type LedgerAnswer =
  | { kind: 'page'; entries: LedgerEntry[]; next: LedgerPlace | undefined }
  /** The account has never been at such a place: somebody made it up. */
  | { kind: 'no_such_place' };

/** A request id is a UUID; the second hold of a request has it too, with more behind it (see create-task.ts). */
const requestIdOfHold = sql<string | null>`substr(entry.hold_id, 1, 36)`;

/** The page is cut out first, and tasks are looked up for it alone: no database may think of joining all there is. */
const findEntries = statement((db, arg: { account: string; newest: number; limit: number }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('account')
        .innerJoin('entry', 'entry.account_id', 'account.id')
        .select(['entry.account_id', 'entry.number', 'entry.kind', 'entry.credits', 'entry.at'])
        .select(requestIdOfHold.as('request_id'))
        .select(['account.available', 'account.reserved', 'account.spent', 'account.entries'])
        .where('account.id', '=', arg.account)
        .where('entry.number', '<=', arg.newest)
        .orderBy('entry.number', 'desc')
        .limit(arg.limit)
        .as('page'),
    )
    .leftJoin('task', (join) =>
      join.onRef('task.account_id', '=', 'page.account_id').onRef('task.request_id', '=', 'page.request_id'),
    )
    .selectAll('page')
    .select('task.id as task_id')
    .orderBy('page.number', 'desc'),
);

export async function readLedger(
  { accountId, limit, from }: LedgerRequest,
  { store }: { store: Pick<Store, 'read'> },
): Promise<LedgerAnswer> {
  const newest = from?.number ?? Number.MAX_SAFE_INTEGER;
  const rows = await store.read.all(findEntries, { account: accountId, newest, limit });
  const [first] = rows;
  if (first === undefined) return from === undefined ? page([], undefined) : { kind: 'no_such_place' };
  if (from !== undefined && from.number > first.entries) return { kind: 'no_such_place' };

  let place: LedgerPlace = from ?? { ...figuresOf(first), number: first.entries };
  const entries: LedgerEntry[] = [];
  for (const { number, kind, credits, at, task_id, request_id } of rows) {
    if (Math.min(place.available, place.reserved, place.spent) < 0) return { kind: 'no_such_place' };
    const ids = { taskId: task_id ?? undefined, requestId: request_id ?? undefined };
    entries.push({ number, kind, credits, at, ...figuresOf(place), ...ids });
    place = { ...takeBack(place, { kind, credits }), number: number - 1 };
  }
  return page(entries, place.number > 0 ? place : undefined);
}

function page(entries: LedgerEntry[], next: LedgerPlace | undefined): LedgerAnswer {
  return { kind: 'page', entries, next };
}

function figuresOf({ available, reserved, spent }: Figures): Figures {
  return { available, reserved, spent };
}

/** What was there before an entry, from what there is after it. */
function takeBack(
  { available, reserved, spent }: Figures,
  { kind, credits }: Pick<LedgerEntry, 'kind' | 'credits'>,
): Figures {
  switch (kind) {
    case 'grant':
      return { available: available - credits, reserved, spent };
    case 'reserve':
      return { available: available + credits, reserved: reserved - credits, spent };
    case 'charge':
      return { available, reserved: reserved + credits, spent: spent - credits };
    case 'release':
      return { available: available - credits, reserved: reserved + credits, spent };
  }
}
