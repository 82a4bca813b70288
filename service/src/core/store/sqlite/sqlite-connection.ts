import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Connection, QueryResult } from '../connection.ts';
import type { SqlValue } from '../statement.ts';
import { StoreUnavailableError, type StoreFault } from '../store-unavailable-error.ts';

/**
 * A connection to a SQLite file through Node's own driver.
 *
 * The settings are made at every open because none but the journal mode is kept in the file, and a
 * reopened write-ahead log may come up with `synchronous=NORMAL`, which loses acknowledged commits
 * when the power fails.
 */
export type SqliteOptions = {
  file: string;
  /** How long a statement may stand still for another process's lock; the whole process stands with it. */
  busyTimeoutMs: number;
  /** Pages that it keeps in memory. What a reader does not keep the system's own cache has, as a rule. */
  cacheMb: number;
};

const settings = [
  // Of a new file only. A commit of many small rows writes fewer pages so, and costs a sixth less.
  'pragma page_size = 8192',
  'pragma journal_mode = wal',
  'pragma synchronous = full',
  'pragma foreign_keys = on',
  // What is deleted is overwritten, and nothing of it goes to temporary files.
  'pragma secure_delete = on',
  'pragma temp_store = memory',
  // They are carried from the log to the file less often.
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

/** Node makes rows that are slow to make and to read; arrays cost it less, and an object of our own costs little. */
function named(columns: string[], values: unknown): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  if (!Array.isArray(values)) throw new TypeError('a row is an array');
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

/** Primary result codes (sqlite.org/rescode.html) that are the store's trouble and not a mistake of ours. */
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
  if (!(error instanceof Error)) return new Error('SQLite threw what is no error', { cause: error });
  if ('code' in error && error.code === 'ERR_INVALID_STATE')
    return new StoreUnavailableError('closed', error);
  if (!('errcode' in error) || typeof error.errcode !== 'number') return error;
  const fault = faults.get(error.errcode & 0xff);
  return fault === undefined ? error : new StoreUnavailableError(fault, error);
}
