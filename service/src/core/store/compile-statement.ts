import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import type { SqlValue, Statement } from './statement.ts';

/** SQL text, and a function that puts the arguments of a run in their places. */
export type CompiledStatement<Args> = { sql: string; bind: (args: Args) => SqlValue[] };

/** Compiles a statement on first use, and returns the same result afterwards. */
export type Compile = <Args, Row>(statement: Statement<Args, Row>) => CompiledStatement<Args>;

export function createCompiler(queries: Kysely<Schema>): Compile {
  const known = new Map<unknown, unknown>();
  return <Args, Row>(wanted: Statement<Args, Row>) => {
    const found = known.get(wanted);
    // The cast holds: the map's entry for a statement is always its own `compileStatement`.
    if (found !== undefined) return found as CompiledStatement<Args>;
    const made = compileStatement(wanted, queries);
    known.set(wanted, made);
    return made;
  };
}

/** A placeholder for an argument in a query. */
class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Compiles a statement with a marker for every argument and remembers the place of each marker. The text is
 * prepared once and serves every run.
 */
function compileStatement<Args, Row>(
  statement: Statement<Args, Row>,
  db: Kysely<Schema>,
): CompiledStatement<Args> {
  const places: unknown = new Proxy({}, { get: (_, name) => new Place(String(name)) });
  // The builder passes the markers to Kysely, which leaves them untouched.
  const { sql, parameters } = statement.build(db, places as Args).compile();
  const slots = parameters.map((parameter) =>
    parameter instanceof Place ? { name: parameter.name as keyof Args } : { value: constant(parameter) },
  );
  // Values that are already in order are used as they are: inserts of many rows bring hundreds.
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
  throw new TypeError(`a statement cannot contain a ${typeof value}`);
}
