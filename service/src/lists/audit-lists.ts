import { sql } from 'kysely';
import type { Violation } from '../credits/violation.ts';
import { othersFirst } from '../db/others-first.ts';
import { statement, type Reader } from '../db/statement.ts';

/**
 * Checks the lists of one account against their rows and holds: what a list says it has checked are its answered rows;
 * a run that goes on has an open hold of as many credits as it wants addresses, one that has ended has charged what was
 * conclusive; no hold is left without its list.
 */
const findLists = statement((db, arg: { account: string; after: string; limit: number }) =>
  db
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
    ])
    .select(['hold.state as hold_state', 'hold.credits as hold_credits', 'hold.charged as hold_charged'])
    .select((eb) => [
      eb
        .selectFrom('list_count')
        .select((count) => count.fn.coalesce(count.fn.sum<number>('addresses'), sql.lit(0)).as('addresses'))
        .whereRef('list_count.list_id', '=', 'list.id')
        .as('counted'),
    ])
    .where('list.account_id', '=', arg.account)
    .where('list.state', 'not in', ['receiving', 'deleted'])
    .where('list.id', '>', arg.after)
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

type FoundList = Omit<AuditedList, 'answered'> & { id: string; rows: number };

const sliceLists = 200;
const sliceRows = 10_000;

export async function auditLists(reader: Reader, accountId: string): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows: FoundList[] = await reader.all(findLists, { account: accountId, after, limit: sliceLists });
    for (const { id, ...list } of rows) {
      const answered = await answeredRows(reader, { id, rows: list.rows });
      for (const { invariant, detail } of auditList({ ...list, answered }))
        violations.push({ invariant, accountId, detail: `list ${id}: ${detail}` });
    }
    after = rows.length === sliceLists ? rows.at(-1)?.id : undefined;
  }
  return violations;
}

async function answeredRows(reader: Reader, { id, rows }: Pick<FoundList, 'id' | 'rows'>): Promise<number> {
  let answered = 0;
  for (let after = 0; after < rows; after += sliceRows) {
    const slice = { list: id, after, to: after + sliceRows };
    answered += (await reader.first(countAnswered, slice))?.rows ?? 0;
    await othersFirst();
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
