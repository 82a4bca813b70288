import { statement, type Reader } from '../store/statement.ts';
import { auditEntries, emptyLedger, mostEntriesInSlice, type LedgerPoint } from './audit-entries.ts';
import { auditFigures, readOpenCredits, sumOpenHolds } from './audit-figures.ts';
import type { Violation } from './violation.ts';

/**
 * Checks the whole books of one account: every entry, the figures, and every hold against its entries (I4, I13). Long
 * ledgers are read slice by slice.
 */
const sliceHolds = 500;

const findSpent = statement((db, arg: { account: string }) =>
  db.selectFrom('account').select('spent').where('id', '=', arg.account),
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
    .select(['r.number as reserve_number', 'c.number as charge_number', 'b.number as release_number'])
    .where('hold.account_id', '=', arg.account)
    .where('hold.id', '>', arg.after)
    .orderBy('hold.id')
    .limit(arg.limit),
);

type Found = Omit<Violation, 'accountId'>;

export async function auditBooks(reader: Reader, accountId: string): Promise<Violation[]> {
  const { through, violations } = await auditAllEntries(reader, accountId);
  const open = await sumOpenHolds(reader, accountId);
  violations.push(...(await auditFigures(reader, accountId, { through, acceptedGap: 0, open })));
  const kept = await readOpenCredits(reader, accountId);
  if (kept !== open)
    violations.push({
      invariant: 'I3',
      detail: `open holds add up to ${open}, and not to the kept sum of ${kept}`,
    });
  violations.push(...(await auditHolds(reader, accountId)));
  return violations.map((violation) => ({ ...violation, accountId }));
}

async function auditAllEntries(
  reader: Reader,
  accountId: string,
): Promise<{ through: LedgerPoint; violations: Found[] }> {
  const violations: Found[] = [];
  let through = emptyLedger;
  for (let reachedEnd = false; !reachedEnd;) {
    const slice = await auditEntries(reader, accountId, { from: through, most: mostEntriesInSlice });
    violations.push(...slice.violations);
    ({ through, reachedEnd } = slice);
  }
  return { through, violations };
}

async function auditHolds(reader: Reader, account: string): Promise<Found[]> {
  const violations: Found[] = [];
  let charged = 0;
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows: HoldRow[] = await reader.all(findHolds, { account, after, limit: sliceHolds });
    for (const row of rows) {
      charged += row.charged;
      if (!agrees(row)) violations.push(disagreement(row));
    }
    after = rows.length === sliceHolds ? rows.at(-1)?.id : undefined;
  }
  if (charged !== (await reader.first(findSpent, { account }))?.spent)
    violations.push({ invariant: 'I13', detail: 'spent = what settled holds were charged' });
  return violations;
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
  reserve_number: number | null;
  charge_number: number | null;
  release_number: number | null;
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

function disagreement(hold: HoldRow): Found {
  const entry = hold.reserve_number ?? hold.charge_number ?? hold.release_number;
  const detail = `hold ${hold.id} and its entries disagree`;
  return { invariant: 'I4', detail, ...(entry === null ? {} : { entry }) };
}
