import { statement, type Reader } from '../db/statement.ts';
import type { Violation } from './violation.ts';

/**
 * Checks the books of one account against each other: its figures (I1), the ledger (I2, I10), its open holds (I3), and
 * every hold against its entries (I4, I13). Long ledgers are read slice by slice, so that requests are served in between.
 */
const sliceEntries = 20_000;
const sliceHolds = 2_000;

const findAccount = statement((db, arg: { account: string }) =>
  db
    .selectFrom('account')
    .select(['granted', 'available', 'reserved', 'spent', 'entries'])
    .where('id', '=', arg.account),
);

const sumEntries = statement((db, arg: { account: string; from: number; to: number }) =>
  db
    .selectFrom('entry')
    .select([
      'kind',
      (eb) => eb.fn.sum<number>('credits').as('credits'),
      (eb) => eb.fn.countAll<number>().as('entries'),
    ])
    .where('account_id', '=', arg.account)
    .where('number', '>', arg.from)
    .where('number', '<=', arg.to)
    .groupBy('kind'),
);

const lastEntry = statement((db, arg: { account: string }) =>
  db
    .selectFrom('entry')
    .select((eb) => eb.fn.max('number').as('number'))
    .where('account_id', '=', arg.account),
);

const findHolds = statement((db, arg: { account: string; after: string; limit: number }) =>
  db
    .selectFrom('hold')
    .leftJoin('entry as r', (join) =>
      join.on((eb) => eb('r.op', '=', eb(eb.val('reserve:'), '||', eb.ref('hold.id')))),
    )
    .leftJoin('entry as c', (join) =>
      join.on((eb) => eb('c.op', '=', eb(eb.val('charge:'), '||', eb.ref('hold.id')))),
    )
    .leftJoin('entry as b', (join) =>
      join.on((eb) => eb('b.op', '=', eb(eb.val('release:'), '||', eb.ref('hold.id')))),
    )
    .select(['hold.id', 'hold.credits', 'hold.state', 'hold.charged', 'hold.released'])
    .select(['r.credits as reserve_entry', 'c.credits as charge_entry', 'b.credits as release_entry'])
    .where('hold.account_id', '=', arg.account)
    .where('hold.id', '>', arg.after)
    .orderBy('hold.id')
    .limit(arg.limit),
);

type Totals = { grant: number; reserve: number; charge: number; release: number; entries: number };
type HoldTotals = { open: number; credits: number; charged: number; released: number; wrong: string[] };

export async function auditBooks(reader: Reader, accountId: string): Promise<Violation[]> {
  const account = await reader.first(findAccount, { account: accountId });
  if (account === undefined) return [];
  const { granted, available, reserved, spent } = account;
  const last = (await reader.first(lastEntry, { account: accountId }))?.number ?? 0;
  const ledger = await totalEntries(reader, accountId, last);
  const holds = await totalHolds(reader, accountId);
  const open = ledger.reserve - ledger.charge - ledger.release;
  const promises: [string, boolean, string][] = [
    ['I1', granted === available + reserved + spent, 'granted = available + reserved + spent'],
    ['I1', Math.min(granted, available, reserved, spent) >= 0, 'no figure is negative'],
    ['I2', granted === ledger.grant, 'granted = sum of grants'],
    [
      'I2',
      available === ledger.grant - ledger.reserve + ledger.release,
      'available = grants - reserves + releases',
    ],
    ['I2', reserved === open, 'reserved = reserves - charges - releases'],
    ['I2', spent === ledger.charge, 'spent = sum of charges'],
    ['I3', reserved === holds.open, 'reserved = sum of open holds'],
    ['I4', ledger.reserve === holds.credits, 'every reserve entry has its hold'],
    ['I4', ledger.release === holds.released, 'every release entry has its hold'],
    ['I10', ledger.entries === last && last === account.entries, 'entries are numbered without gaps'],
    ['I13', spent === holds.charged, 'spent = what settled holds were charged'],
  ];
  const broken = promises
    .filter(([, holdsTrue]) => !holdsTrue)
    .map(([invariant, , detail]) => ({ invariant, detail }));
  const wrong = holds.wrong.map((id) => ({ invariant: 'I4', detail: `hold ${id} and its entries disagree` }));
  return [...broken, ...wrong].map((violation) => ({ ...violation, accountId }));
}

async function totalEntries(reader: Reader, account: string, last: number): Promise<Totals> {
  const totals: Totals = { grant: 0, reserve: 0, charge: 0, release: 0, entries: 0 };
  for (let from = 0; from < last; from += sliceEntries) {
    for (const row of await reader.all(sumEntries, { account, from, to: from + sliceEntries })) {
      totals[row.kind] += row.credits;
      totals.entries += row.entries;
    }
    await breathe();
  }
  return totals;
}

async function totalHolds(reader: Reader, account: string): Promise<HoldTotals> {
  const totals: HoldTotals = { open: 0, credits: 0, charged: 0, released: 0, wrong: [] };
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows: HoldRow[] = await reader.all(findHolds, { account, after, limit: sliceHolds });
    for (const row of rows) {
      if (row.state === 'open') totals.open += row.credits;
      totals.credits += row.credits;
      totals.charged += row.charged;
      totals.released += row.released;
      if (!agrees(row)) totals.wrong.push(row.id);
    }
    after = rows.length === sliceHolds ? rows.at(-1)?.id : undefined;
    await breathe();
  }
  return totals;
}

type HoldRow = {
  id: string;
  credits: number;
  state: 'open' | 'settled';
  charged: number;
  released: number;
  reserve_entry: number | null;
  charge_entry: number | null;
  release_entry: number | null;
};

function agrees(hold: HoldRow): boolean {
  const closed = hold.charged + hold.released;
  return (
    hold.reserve_entry === hold.credits &&
    (hold.charge_entry ?? 0) === hold.charged &&
    (hold.release_entry ?? 0) === hold.released &&
    closed === (hold.state === 'settled' ? hold.credits : 0)
  );
}

function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
