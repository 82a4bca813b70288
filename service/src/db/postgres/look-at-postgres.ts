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
 * Looks at a database as it is: its schema is left alone, and nothing of it is written. `undefined` where it has no
 * such table, since no service has run on it yet.
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
    if (sqlState(error) === undefinedTable) return undefined;
    throw new StoreOpenError(explainOpenFailure(error, url), error);
  }
}

const undefinedTable = '42P01';
