import { sql } from 'kysely';
import { statement, type Reader } from '../store/statement.ts';
import type { LedgerPoint } from './audit-entries.ts';
import type { Violation } from './violation.ts';

/**
 * Checks the figures of an account against each other (I1), against what its entries add up to (I2, I10) and against
 * its open holds (I3).
 */
const sliceHolds = 1_000;

/** What the database itself adds up of the open holds of tasks and lists (see 0019-open-holds.ts). */
const findKeptSum = statement((db, arg: { account: string }) =>
  db.selectFrom('open_task_credits').select('credits').where('account_id', '=', arg.account),
);

const findAccount = statement((db, arg: { account: string }) =>
  db
    .selectFrom('account')
    .select(['granted', 'available', 'reserved', 'spent', 'entries'])
    .where('id', '=', arg.account),
);

const sumTaskHolds = statement((db, arg: { account: string; after: string; limit: number }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('hold')
        .select(['id', 'credits'])
        .where('account_id', '=', arg.account)
        .where('state', '=', sql.lit('open'))
        .where('expires_at', 'is', null)
        .where('id', '>', arg.after)
        .orderBy('id')
        .limit(arg.limit)
        .as('slice'),
    )
    .select((eb) => [
      eb.fn.countAll<number>().as('holds'),
      eb.fn.coalesce(eb.fn.sum<number>('credits'), sql.lit(0)).as('credits'),
      eb.fn.max('id').as('last'),
    ]),
);

/**
 * Those of requests that are being served now, of all accounts: there are never many. An account named here would lead
 * a database past all holds that it ever had.
 */
const findSingleHolds = statement((db) =>
  db
    .selectFrom('hold')
    .select(['account_id', 'credits'])
    .where('state', '=', sql.lit('open'))
    .where('expires_at', '>', sql.lit(0)),
);

/** What is held by open holds, at the same cost however many there are. */
export async function readOpenCredits(reader: Reader, account: string): Promise<number> {
  const kept = (await reader.first(findKeptSum, { account }))?.credits ?? 0;
  return kept + (await sumSingleHolds(reader, account));
}

async function sumSingleHolds(reader: Reader, account: string): Promise<number> {
  const singles = await reader.all(findSingleHolds, {});
  return singles
    .filter(({ account_id }) => account_id === account)
    .reduce((sum, { credits }) => sum + credits, 0);
}

type HoldSlice = { holds: number; credits: number; last: string | null };

/** The same by adding up the holds themselves. */
export async function sumOpenHolds(reader: Reader, account: string): Promise<number> {
  let open = await sumSingleHolds(reader, account);
  for (let after: string | null | undefined = ''; typeof after === 'string';) {
    const slice: HoldSlice | undefined = await reader.first(sumTaskHolds, {
      account,
      after,
      limit: sliceHolds,
    });
    open += slice?.credits ?? 0;
    after = slice?.holds === sliceHolds ? slice.last : undefined;
  }
  return open;
}

type FiguresToMeet = {
  through: LedgerPoint;
  acceptedGap: number;
  /** What open holds hold. */
  open: number;
};

export async function auditFigures(
  reader: Reader,
  accountId: string,
  { through, acceptedGap, open }: FiguresToMeet,
): Promise<Omit<Violation, 'accountId'>[]> {
  const account = await reader.first(findAccount, { account: accountId });
  if (account === undefined) return [];
  const { granted, available, reserved, spent, entries } = account;
  const promises: [string, boolean, string][] = [
    ['I1', granted === available + reserved + spent, 'granted = available + reserved + spent'],
    ['I1', Math.min(granted, available, reserved, spent) >= 0, 'no figure is negative'],
    ['I2', granted === through.granted, off('granted = sum of grants', granted, through.granted)],
    [
      'I2',
      available === through.available,
      off('available = grants - reserves + releases', available, through.available),
    ],
    [
      'I2',
      reserved === through.reserved,
      off('reserved = reserves - charges - releases', reserved, through.reserved),
    ],
    ['I2', spent === through.spent, off('spent = sum of charges', spent, through.spent)],
    ['I3', reserved === open + acceptedGap, off('reserved = sum of open holds', reserved, open)],
    ['I10', entries === through.entries, off('entries are numbered without gaps', entries, through.entries)],
  ];
  return promises.filter(([, holds]) => !holds).map(([invariant, , detail]) => ({ invariant, detail }));
}

function off(promise: string, shown: number, found: number): string {
  return `${promise}: the account says ${shown}, they add up to ${found}`;
}
