import { existsSync } from 'node:fs';
import { createCompiler } from '../compile-statement.ts';
import { createReader } from '../create-tx.ts';
import { sqliteDialect } from '../dialect.ts';
import type { Reader } from '../statement.ts';
import { StoreOpenError } from '../store-open-error.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import { explainFileFault, storeFile } from './open-sqlite-store.ts';
import { openSqliteConnection } from './sqlite-connection.ts';

/**
 * Looks at a database as it is: its schema is left alone, and nothing of it is written. Returns `undefined` if there is
 * no file, or no such table or column, because no service of this version has run on it yet.
 */
export async function lookAtSqlite<T>(
  dataDir: string,
  look: (reader: Reader) => Promise<T>,
): Promise<T | undefined> {
  const file = storeFile(dataDir);
  if (!existsSync(file)) return undefined;
  try {
    const connection = openSqliteConnection({ file, busyTimeoutMs: 5_000, cacheMb: 16 });
    try {
      return await look(createReader(connection, createCompiler(sqliteDialect().queries)));
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (error instanceof StoreUnavailableError)
      throw new StoreOpenError(explainFileFault(error.fault, file), error);
    if (error instanceof Error && /no such (?:table|column)/.test(error.message)) return undefined;
    throw error;
  }
}
