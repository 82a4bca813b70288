import { asTx, rememberCompiled } from '../as-tx.ts';
import { postgresDialect } from '../dialect.ts';
import type { Reader } from '../statement.ts';
import { StoreOpenError } from '../store-open-error.ts';
import { lineForTrouble } from './open-trouble.ts';
import { sqlState } from './postgres-fault.ts';
import { postgresLimits } from './postgres-limits.ts';
import { openPostgresLine } from './postgres-line.ts';

/**
 * Looks at a database as it is: its schema is left alone, and nothing of it is written. `undefined` where it has no
 * such table, since no service has run on it yet.
 */
export async function lookAtPostgres<T>(
  url: string,
  look: (reader: Reader) => Promise<T>,
): Promise<T | undefined> {
  try {
    const line = await openPostgresLine({ url, limits: postgresLimits() });
    try {
      return await look(asTx(line, rememberCompiled(postgresDialect().queries)));
    } finally {
      await line.close();
    }
  } catch (error) {
    if (sqlState(error) === undefinedTable) return undefined;
    throw new StoreOpenError(lineForTrouble(error, url), error);
  }
}

const undefinedTable = '42P01';
