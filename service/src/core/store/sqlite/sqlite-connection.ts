import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Connection, QueryResult } from '../connection.ts';
import type { SqlValue } from '../statement.ts';
import { StoreUnavailableError, type StoreFault } from '../store-unavailable-error.ts';

/**
 * A connection to a SQLite file through Node's own driver.
 *
 * The settings are made at every open, because the file keeps only the journal mode. A reopened write-ahead log may
 * come up with `synchronous=NORMAL`, which loses acknowledged commits in a power failure.
 */
export type SqliteOptions = {
  file: string;
  /** How long a statement may block for another process's lock; the whole process blocks with it. */
  busyTimeoutMs: number;
  /** The size of the page cache in memory. For readers the system's own cache usually serves as well. */
  cacheMb: number;
};

const settings = [
  // Applies to a new file only. A commit of many small rows then writes fewer pages, and costs a sixth less.
  'pragma page_size = 8192',
  'pragma journal_mode = wal',
  'pragma synchronous = full',
  'pragma foreign_keys = on',
  // Deleted data is overwritten, and none of it goes to temporary files.
  'pragma secure_delete = on',
  'pragma temp_store = memory',
  // Pages move from the log to the file less often.
  'pragma wal_autocheckpoint = 4000',
];

export function openSqliteConnection({ file, busyTimeoutMs, cacheMb }: SqliteOptions): Connection {
  const database = translated(() => new DatabaseSync(file, { timeout: busyTimeoutMs }));
  try {
    for (const setting of [...settings, `pragma cache_size = -${1_024 * cacheMb}`])
      translated(() => database.exec(setting));
  } catch (error) {
    database.close();
    throw error;
  }
  const prepared = new Map<string, Prepared>();

  function prepare(sql: string) {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    const columns = statement.columns().map(({ name }) => name);
    statement.setReturnArrays(columns.length > 0);
    const made = { statement, columns };
    prepared.set(sql, made);
    return made;
  }

  function run(sql: string, values: SqlValue[]): QueryResult {
    const { statement, columns } = prepare(sql);
    if (columns.length === 0) return { rows: [], changes: Number(statement.run(...values).changes) };
    const rows: unknown[] = statement.all(...values);
    for (let at = 0; at < rows.length; at += 1) rows[at] = named(columns, rows[at]);
    return { rows, changes: rows.length };
  }

  return {
    execute: (sql, values) => {
      try {
        return Promise.resolve(run(sql, values));
      } catch (error) {
        return Promise.reject(translate(error));
      }
    },
    inTransaction: () => database.isOpen && database.isTransaction,
    commitsOnlyWhole: false,
    close: () => {
      prepared.clear();
      if (database.isOpen) database.close();
      return Promise.resolve();
    },
  };
}

type Prepared = { statement: StatementSync; columns: string[] };

/** Makes a row object. Node's own row objects are slow to make and read; arrays and our own objects cost less. */
function named(columns: string[], values: unknown): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  if (!Array.isArray(values)) throw new TypeError('a row must be an array');
  for (let at = 0; at < columns.length; at += 1) row[columns[at] ?? ''] = values[at];
  return row;
}

function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
}

/** Primary result codes (sqlite.org/rescode.html) that mean trouble with the store rather than a defect of ours. */
const faults = new Map<number, StoreFault>([
  [3, 'not_writable'], // PERM
  [5, 'busy'], // BUSY
  [6, 'busy'], // LOCKED
  [7, 'failing'], // NOMEM
  [8, 'not_writable'], // READONLY
  [10, 'failing'], // IOERR
  [11, 'corrupt'], // CORRUPT
  [13, 'full'], // FULL
  [14, 'not_writable'], // CANTOPEN
  [15, 'busy'], // PROTOCOL: lost a race for the log's lock
  [26, 'corrupt'], // NOTADB
]);

function translate(error: unknown): Error {
  if (!(error instanceof Error))
    return new Error('SQLite threw a value that is not an Error', { cause: error });
  if ('code' in error && error.code === 'ERR_INVALID_STATE')
    return new StoreUnavailableError('closed', error);
  if (!('errcode' in error) || typeof error.errcode !== 'number') return error;
  const fault = faults.get(error.errcode & 0xff);
  return fault === undefined ? error : new StoreUnavailableError(fault, error);
}
