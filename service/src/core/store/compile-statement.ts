import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import type { SqlValue, Statement } from './statement.ts';

/** SQL text and a function that puts a run's arguments into its places. */
export type CompiledStatement<Args> = { sql: string; bind: (args: Args) => SqlValue[] };

/** Compiles a statement the first time it is met. */
export type Compile = <Args, Row>(statement: Statement<Args, Row>) => CompiledStatement<Args>;

export function createCompiler(queries: Kysely<Schema>): Compile {
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

/** Stands in a query where an argument will be. */
class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Compiles a statement with a marker for every argument and remembers which marker went where, so
 * that the same text, prepared once, serves every run.
 */
function compileStatement<Args, Row>(
  statement: Statement<Args, Row>,
  db: Kysely<Schema>,
): CompiledStatement<Args> {
  const places: unknown = new Proxy({}, { get: (_, name) => new Place(String(name)) });
  // The builder only passes the markers on to Kysely, which passes them on untouched.
  const { sql, parameters } = statement.build(db, places as Args).compile();
  const slots = parameters.map((parameter) =>
    parameter instanceof Place ? { name: parameter.name as keyof Args } : { value: constant(parameter) },
  );
  // Values that stand in their order already are taken as they are: inserts of many rows bring hundreds.
  const isInOrder = slots.every((slot, at) => 'name' in slot && slot.name === String(at));
  return {
    sql,
    // `statement` accepts only arguments that are SQL values.
    bind: (args) =>
      isInOrder && Array.isArray(args) && args.length === slots.length
        ? (args as SqlValue[])
        : slots.map((slot) => ('name' in slot ? (args[slot.name] as SqlValue) : slot.value)),
  };
}

function constant(value: unknown): SqlValue {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
  throw new TypeError(`a statement may not hold a ${typeof value}`);
}
