import { createCompiler } from '../compile-statement.ts';
import { createReader } from '../create-tx.ts';
import { postgresDialect } from '../dialect.ts';
import type { Reader } from '../statement.ts';
import { StoreOpenError } from '../store-open-error.ts';
import { explainOpenFailure } from './explain-open-failure.ts';
import { sqlState } from './postgres-fault.ts';
import { postgresLimits } from './postgres-limits.ts';
import { openPostgresConnection } from './postgres-connection.ts';

/**
 * Looks at a database as it is: its schema is left alone, and nothing of it is written. Returns `undefined` if it has no
 * such table or column, because no service of this version has run on it yet.
 */
export async function lookAtPostgres<T>(
  url: string,
  look: (reader: Reader) => Promise<T>,
): Promise<T | undefined> {
  try {
    const connection = await openPostgresConnection({ url, limits: postgresLimits() });
    try {
      return await look(createReader(connection, createCompiler(postgresDialect().queries)));
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (missing.has(sqlState(error) ?? '')) return undefined;
    throw new StoreOpenError(explainOpenFailure(error, url), error);
  }
}

/** undefined_table and undefined_column */
const missing: ReadonlySet<string> = new Set(['42P01', '42703']);
