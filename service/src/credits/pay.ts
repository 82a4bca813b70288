import { sql, type RawBuilder } from 'kysely';
import { statement, type SqlValue, type Tx } from '../db/statement.ts';

/**
 * Reserves a credit for each hold and charges it in the same transaction. The books read as if the two had come one
 * after the other: a settled hold, with an entry for each step. Many holds cost as many statements as one.
 */
type Payments = { accountId: string; holdIds: string[]; now: number };

/** As many as are paid for at once. */
export const mostPayments = 64;

const debit = statement((db, arg: { account: string; credits: number; entries: number; now: number }) =>
  db
    .updateTable('account')
    .set((eb) => ({
      available: eb('available', '-', arg.credits),
      spent: eb('spent', '+', arg.credits),
      entries: eb('entries', '+', arg.entries),
      touched_at: arg.now,
    }))
    .where('id', '=', arg.account)
    .where('available', '>=', arg.credits)
    .where('frozen_at', 'is', null)
    .returning('entries'),
);

/** Statements for a few sizes; places that are not taken are null. So each is prepared once, whatever is paid for. */
const sizes = [1, 8, mostPayments].map((places) => ({
  places,
  insertHolds: insertHoldsOf(places),
  insertEntries: insertEntriesOf(places),
}));

type Holds = { account: string; now: number } & Places;
type Entries = Holds & { before: number };
type Places = Record<`hold${number}`, SqlValue>;

function insertHoldsOf(places: number) {
  // Only the hold of a task has no end of its own: by that the two are told apart (see operator/find-request.ts).
  return statement((db, arg: Holds) => ({
    compile: () =>
      sql<never>`with paid (id, place) as (values ${rowsOf(places, arg)})
        insert into hold
          (account_id, id, credits, state, charged, released, owner, opened_at, expires_at)
        select ${text(arg.account)}, id, 1, 'settled', 1, 0, null, ${integer(arg.now)}, ${integer(arg.now)}
        from paid where id is not null`.compile(db),
  }));
}

function insertEntriesOf(places: number) {
  return statement((db, arg: Entries) => ({
    compile: () =>
      sql<never>`with paid (id, place) as (values ${rowsOf(places, arg)}),
          step (number, kind) as (values (1, 'reserve'), (2, 'charge'))
        insert into entry (account_id, number, kind, credits, op, hold_id, at)
        select ${text(arg.account)}, ${integer(arg.before)} + 2 * place + step.number, step.kind, 1,
          step.kind || ':' || id, id, ${integer(arg.now)}
        from paid cross join step where id is not null`.compile(db),
  }));
}

function rowsOf(places: number, arg: Places): RawBuilder<unknown> {
  const rows = Array.from(
    { length: places },
    (_, place) => sql`(${text(arg[`hold${place}`])}, ${sql.lit(place)})`,
  );
  return sql.join(rows);
}

/** In a select PostgreSQL cannot tell from the column what an argument is. */
function text(value: SqlValue | undefined): RawBuilder<unknown> {
  return sql`cast(${value} as text)`;
}

function integer(value: number): RawBuilder<unknown> {
  return sql`cast(${value} as bigint)`;
}

/** `false` where there are not enough credits for all, or the account is frozen: then nothing is written. */
export async function pay(tx: Tx, payments: Payments): Promise<boolean> {
  const { accountId: account, holdIds, now } = payments;
  const credits = holdIds.length;
  const debited = await tx.first(debit, { account, credits, entries: 2 * credits, now });
  if (debited === undefined) return false;
  await enter(tx, payments, debited.entries - 2 * credits);
  return true;
}

async function enter(tx: Tx, { accountId: account, holdIds, now }: Payments, before: number): Promise<void> {
  const size = sizes.find(({ places }) => places >= holdIds.length);
  if (size === undefined) throw new RangeError(`${holdIds.length} are too many payments at once`);
  const taken: Places = {};
  for (let place = 0; place < size.places; place += 1) taken[`hold${place}`] = holdIds[place] ?? null;
  await Promise.all([
    tx.change(size.insertHolds, { ...taken, account, now }),
    tx.change(size.insertEntries, { ...taken, account, now, before }),
  ]);
}
