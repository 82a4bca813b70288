import { statement, type Tx } from '../db/statement.ts';
import type { Schema } from '../db/schema.ts';

type Entry = Schema['entry'];

const insertEntry = statement((db, arg: Entry) =>
  db.insertInto('entry').values({
    account_id: arg.account_id,
    number: arg.number,
    kind: arg.kind,
    credits: arg.credits,
    op: arg.op,
    hold_id: arg.hold_id,
    at: arg.at,
  }),
);

/** Appends to the ledger. The table refuses a number or an `op` that was used before, and any later change. */
export async function writeEntry(tx: Tx, entry: Entry): Promise<void> {
  await tx.change(insertEntry, entry);
}
