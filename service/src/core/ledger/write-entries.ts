import { multiRowInsert } from '../store/multi-row-insert.ts';
import type { Schema } from '../store/schema.ts';
import type { Tx } from '../store/statement.ts';

type Entry = Omit<Schema['entry'], 'account_id' | 'number'>;

/** The account that the entries belong to, and how many it has with them. */
type Numbering = { accountId: string; entries: number };

const insertEntries = multiRowInsert('entry', {
  columns: ['account_id', 'number', 'kind', 'credits', 'op', 'hold_id', 'at'],
});

/**
 * Appends to the ledger of an account whose count of entries was moved on by as many before. The table refuses a
 * number or an `op` that was used before, and any later change.
 */
export function writeEntries(tx: Tx, { accountId, entries: last }: Numbering, entries: Entry[]): void {
  const first = last - entries.length + 1;
  insertEntries(
    tx,
    entries.map((entry, index) => ({ ...entry, account_id: accountId, number: first + index })),
  );
}
