import type { Compilable, Kysely } from 'kysely';
import type { Happened } from './happened.ts';
import type { Schema } from './schema.ts';

/**
 * A query that is built once and run many times.
 *
 * Building a query with Kysely costs more than running it, so a statement is built and compiled the
 * first time a store meets it; its arguments are filled in by name at each run:
 *
 *     const findPlan = statement((db, arg: { account: string }) =>
 *       db.selectFrom('account').select('plan').where('id', '=', arg.account));
 *     const row = await tx.first(findPlan, { account });
 */
export type Statement<Args, Row> = {
  /** A property, not a method: TypeScript would accept a method whose arguments are too narrow. */
  build: (db: Kysely<Schema>, arg: Args) => Compilable<Row>;
};

export type SqlValue = string | number | Uint8Array | null;

export function statement<Args extends Record<string, SqlValue> | SqlValue[], Row>(
  build: (db: Kysely<Schema>, arg: Args) => Compilable<Row>,
): Statement<Args, Row> {
  return { build };
}

/** Looks at what is committed. The statement alone says what its arguments are. */
export type Reader = {
  all: <Args, Row>(statement: Statement<Args, Row>, args: NoInfer<Args>) => Promise<Row[]>;
  first: <Args, Row>(statement: Statement<Args, Row>, args: NoInfer<Args>) => Promise<Row | undefined>;
};

/** One operation's view of the transaction it is part of. */
export type Tx = Reader & {
  /** Runs a statement and says how many rows it changed. */
  change: <Args, Row>(statement: Statement<Args, Row>, args: NoInfer<Args>) => Promise<number>;
  /** Runs a statement whose answer nobody needs. Where it fails, nothing of the operation is committed. */
  send: <Args, Row>(statement: Statement<Args, Row>, args: NoInfer<Args>) => void;
  /** Does work together with what the other operations of the transaction want done under the same key. */
  batch: <Item, Answer>(work: BatchWork<Item, Answer>, key: string, item: NoInfer<Item>) => Promise<Answer>;
  /** Tells the store's listeners, each within this transaction. If one fails, nothing of the operation is committed. */
  tell: (happened: Happened) => Promise<void>;
};

/** A part of the service that writes its own rows when something has happened to an account. */
export type Listener = (tx: Tx, happened: Happened) => Promise<void>;

/** Work that costs little more for many than for one (see create-batches.ts). */
export type BatchWork<Item, Answer> = {
  /** So many at once; more become several batches. */
  most: number;
  /** Answers each item, in their order. If it throws, it has failed for all of them. */
  run: (tx: Tx, items: Item[]) => Answer[] | Promise<Answer[]>;
};
