import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Dialect as KyselyDialect,
} from 'kysely';
import type { Schema } from './schema.ts';

/**
 * All that a second database would have to say differently: the words of the schema that are not
 * common to all, and how queries are compiled. Running them is the connection's business.
 */
type Dialect = {
  queries: Kysely<Schema>;
  words: SchemaWords;
};

export type SchemaWords = {
  /** A type that takes whole numbers up to 2^53 and nothing else. */
  integer: string;
  /** A whole column definition: a primary key that the database counts up by itself. */
  counter: string;
  /** What stands behind a table's columns: types are enforced. */
  table: string;
  /** The same, for a table that is stored in the order of its primary key. */
  keyedTable: string;
  /** Refuses `event` on rows of `table` for which `when` holds (`old` and `new` are the rows). */
  refuse: (rule: {
    name: string;
    event: 'update' | 'delete';
    table: string;
    when?: string;
    saying: string;
  }) => string;
};

/** Kysely builds and compiles; nothing is ever run through it. */
const compileOnly: KyselyDialect = {
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
};

export function sqliteDialect(): Dialect {
  return {
    queries: new Kysely<Schema>({ dialect: compileOnly }),
    words: {
      integer: 'integer',
      counter: 'integer primary key autoincrement',
      table: 'strict',
      keyedTable: 'strict, without rowid',
      refuse: ({ name, event, table, when, saying }) =>
        `create trigger ${name} before ${event} on ${table} ${when === undefined ? '' : `when ${when}`}
         begin select raise(abort, '${saying}'); end`,
    },
  };
}
