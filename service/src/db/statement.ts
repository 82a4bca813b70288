import type { Compilable, Kysely } from 'kysely';
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
  build(db: Kysely<Schema>, arg: Args): Compilable<Row>;
};

export type SqlValue = string | number | Uint8Array | null;

export function statement<Args extends Record<string, SqlValue>, Row>(
  build: (db: Kysely<Schema>, arg: Args) => Compilable<Row>,
): Statement<Args, Row> {
  return { build };
}

/** Looks at what is committed. */
export type Reader = {
  all: <Args, Row>(statement: Statement<Args, Row>, args: Args) => Promise<Row[]>;
  first: <Args, Row>(statement: Statement<Args, Row>, args: Args) => Promise<Row | undefined>;
};

/** One operation's view of the transaction it is part of. */
export type Tx = Reader & {
  /** Runs a statement and says how many rows it changed. */
  change: <Args, Row>(statement: Statement<Args, Row>, args: Args) => Promise<number>;
};
