import { sql, type Kysely } from 'kysely';
import type { Violation } from '../../core/ledger/violation.ts';
import type { Schema } from '../../core/store/schema.ts';
import { statement, type Reader, type Statement } from '../../core/store/statement.ts';

/**
 * Checks the lists of one account against their rows and holds: what a list says it has checked are its answered rows;
 * a run that goes on has an open hold of as many credits as it wants addresses, one that has ended has charged what was
 * conclusive; no hold is left without its list.
 */
type Page = { account: string; at: number; after: string; limit: number };

function listsWithHolds(db: Kysely<Schema>, account: string) {
  return db
    .selectFrom('list')
    .leftJoin('hold', (join) =>
      join.onRef('hold.account_id', '=', 'list.account_id').onRef('hold.id', '=', 'list.hold_id'),
    )
    .select([
      'list.id',
      'list.mode',
      'list.state',
      'list.rows',
      'list.wanted',
      'list.checked',
      'list.conclusive',
      'list.created_at',
      'list.ended_at',
    ])
    .select(['hold.state as hold_state', 'hold.credits as hold_credits', 'hold.charged as hold_charged'])
    .select((eb) => [
      eb
        .selectFrom('list_count')
        .select((count) => count.fn.coalesce(count.fn.sum<number>('addresses'), sql.lit(0)).as('addresses'))
        .whereRef('list_count.list_id', '=', 'list.id')
        .as('counted'),
    ])
    .where('list.account_id', '=', account)
    .where('list.state', 'not in', ['receiving', 'deleted']);
}

const findByCreation = (notEnded: boolean) =>
  statement((db, arg: Page) =>
    listsWithHolds(db, arg.account)
      .$if(notEnded, (lists) => lists.where('list.ended_at', 'is', null))
      .where((eb) => eb(eb.refTuple('list.created_at', 'list.id'), '>', eb.tuple(arg.at, arg.after)))
      .orderBy('list.created_at')
      .orderBy('list.id')
      .limit(arg.limit),
  );

const findAll = findByCreation(false);
const findNotEnded = findByCreation(true);

const findEnded = statement((db, arg: Page) =>
  listsWithHolds(db, arg.account)
    .where('list.ended_at', 'is not', null)
    .where((eb) => eb(eb.refTuple('list.ended_at', 'list.id'), '>', eb.tuple(arg.at, arg.after)))
    .orderBy('list.ended_at')
    .orderBy('list.id')
    .limit(arg.limit),
);

const countAnswered = statement((db, arg: { list: string; after: number; to: number }) =>
  db
    .selectFrom('list_row')
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .where('list_id', '=', arg.list)
    .where('row', '>', arg.after)
    .where('row', '<=', arg.to)
    .where('status', 'is not', null),
);

type AuditedList = {
  mode: 'live' | 'test';
  state: string;
  wanted: number;
  checked: number;
  conclusive: number;
  hold_state: 'open' | 'settled' | null;
  hold_credits: number | null;
  hold_charged: number | null;
  counted: number | null;
  answered: number;
};

type FoundList = Omit<AuditedList, 'answered'> & {
  id: string;
  rows: number;
  created_at: number;
  ended_at: number | null;
};

const sliceLists = 100;
/** Rows hold what was found out about an address, so that few of them fill a page of the database. */
const sliceRows = 1_000;

/**
 * All lists of the account, or those that changed since: what has not ended, whose rows are counted once it has, and what
 * has ended since.
 */
export async function auditLists(
  reader: Reader,
  accountId: string,
  only?: { changedSince: number },
): Promise<Violation[]> {
  const violations: Violation[] = [];
  const audit = async ({ id, ...list }: FoundList) => {
    const isCounted = only === undefined || list.ended_at !== null;
    const answered = isCounted ? await answeredRows(reader, { id, rows: list.rows }) : list.checked;
    for (const { invariant, detail } of auditList({ ...list, answered }))
      violations.push({ invariant, accountId, detail: `list ${id}: ${detail}` });
  };
  const createdAt = ({ created_at }: FoundList) => created_at;
  if (only === undefined) {
    for await (const list of pages(reader, findAll, { account: accountId, from: -1, at: createdAt }))
      await audit(list);
    return violations;
  }
  for await (const list of pages(reader, findNotEnded, { account: accountId, from: -1, at: createdAt }))
    await audit(list);
  const endedAt = ({ ended_at }: FoundList) => ended_at ?? 0;
  const since = { account: accountId, from: only.changedSince - 1, at: endedAt };
  for await (const list of pages(reader, findEnded, since)) await audit(list);
  return violations;
}

type Walk = { account: string; from: number; at: (list: FoundList) => number };

/** One after the other, by the time that a page is ordered by. */
async function* pages(
  reader: Reader,
  find: Statement<Page, FoundList>,
  { account, from, at }: Walk,
): AsyncGenerator<FoundList> {
  let page: Page | undefined = { account, at: from, after: '', limit: sliceLists };
  while (page !== undefined) {
    const rows: FoundList[] = await reader.all(find, page);
    yield* rows;
    const last: FoundList | undefined = rows.length === sliceLists ? rows.at(-1) : undefined;
    page = last && { account, at: at(last), after: last.id, limit: sliceLists };
  }
}

async function answeredRows(reader: Reader, { id, rows }: Pick<FoundList, 'id' | 'rows'>): Promise<number> {
  let answered = 0;
  for (let after = 0; after < rows; after += sliceRows) {
    const slice = { list: id, after, to: after + sliceRows };
    answered += (await reader.first(countAnswered, slice))?.rows ?? 0;
  }
  return answered;
}

function auditList(list: AuditedList): { invariant: string; detail: string }[] {
  const isRunning = list.state === 'running' || list.state === 'paused';
  const hasEnded = list.state === 'completed' || list.state === 'cancelled';
  const isPaid = list.mode === 'live' && list.wanted > 0 && (isRunning || hasEnded);
  const promises: [string, boolean, string][] = [
    ['I5', !hasEnded || !isPaid || list.hold_charged === list.conclusive, 'charged = conclusive results'],
    ['I6', isPaid === (list.hold_state !== null), 'a live list that was started has a hold, no other has'],
    ['I6', !isPaid || list.hold_credits === list.wanted, 'the hold counts the addresses'],
    ['I6', !isPaid || isRunning === (list.hold_state === 'open'), 'ended if and only if settled'],
    ['I7', list.checked === list.answered, 'checked = answered addresses'],
    ['I7', list.checked === (list.counted ?? 0), 'checked = addresses counted by status'],
  ];
  return promises.filter(([, holds]) => !holds).map(([invariant, , detail]) => ({ invariant, detail }));
}
