import type { Compilable, Kysely } from 'kysely';
import type { Happened } from './happened.ts';
import type { Schema } from './schema.ts';

/**
 * A query that is built once and run many times.
 *
 * Building a query with Kysely costs more than running it. So a statement is built and compiled on first use, and
 * its arguments are filled in by name at each run:
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

/** Reads committed rows. The statement alone determines the types of its arguments. */
export type Reader = {
  all: <Args, Row>(statement: Statement<Args, Row>, args: NoInfer<Args>) => Promise<Row[]>;
  first: <Args, Row>(statement: Statement<Args, Row>, args: NoInfer<Args>) => Promise<Row | undefined>;
};

/** One operation's view of its transaction. */
export type Tx = Reader & {
  /** Runs a statement and returns how many rows it changed. */
  change: <Args, Row>(statement: Statement<Args, Row>, args: NoInfer<Args>) => Promise<number>;
  /** Runs a statement without waiting for its answer. If it fails, nothing of the operation is committed. */
  send: <Args, Row>(statement: Statement<Args, Row>, args: NoInfer<Args>) => void;
  /** Does work together with equal work of the transaction's other operations under the same key. */
  batch: <Item, Answer>(work: BatchWork<Item, Answer>, key: string, item: NoInfer<Item>) => Promise<Answer>;
  /** Tells the store's listeners, each within this transaction. If one fails, nothing of the operation is committed. */
  tell: (happened: Happened) => Promise<void>;
};

/** A part of the service that writes its own rows when something has happened to an account. */
export type Listener = (tx: Tx, happened: Happened) => Promise<void>;

/** Work that costs little more for many than for one (see create-batches.ts). */
export type BatchWork<Item, Answer> = {
  /** The most items of a batch; more become several batches. */
  most: number;
  /** Returns an answer for each item, in their order. If it throws, it has failed for all of them. */
  run: (tx: Tx, items: Item[]) => Answer[] | Promise<Answer[]>;
};
