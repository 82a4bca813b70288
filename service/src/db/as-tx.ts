import type { Kysely } from 'kysely';
import { compileStatement, type CompiledStatement } from './compile-statement.ts';
import type { Connection, QueryResult } from './connection.ts';
import type { Schema } from './schema.ts';
import type { Statement, Tx } from './statement.ts';

/** Compiles a statement the first time it is met. */
export type Compile = <Args, Row>(statement: Statement<Args, Row>) => CompiledStatement<Args>;

export function rememberCompiled(queries: Kysely<Schema>): Compile {
  const known = new Map<unknown, unknown>();
  return <Args, Row>(wanted: Statement<Args, Row>) => {
    const found = known.get(wanted);
    // Only `compileStatement` of the very same statement is ever put under it.
    if (found !== undefined) return found as CompiledStatement<Args>;
    const made = compileStatement(wanted, queries);
    known.set(wanted, made);
    return made;
  };
}

/** Statements over one connection. */
export function asTx(connection: Pick<Connection, 'execute'>, compile: Compile): Tx {
  const run = <Args, Row>(wanted: Statement<Args, Row>, args: Args): Promise<QueryResult> => {
    const { sql, bind } = compile(wanted);
    return connection.execute(sql, bind(args));
  };
  return {
    // The schema's types describe what the database returns; the migrations and tests hold them together.
    all: <Args, Row>(wanted: Statement<Args, Row>, args: Args) =>
      run(wanted, args).then(({ rows }) => rows as Row[]),
    first: <Args, Row>(wanted: Statement<Args, Row>, args: Args) =>
      run(wanted, args).then(({ rows }) => rows[0] as Row | undefined),
    change: (wanted, args) => run(wanted, args).then(({ changes }) => changes),
  };
}
