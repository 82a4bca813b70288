import { existsSync } from 'node:fs';
import type { Config } from '../core/config/config.ts';
import { createWriteProof } from '../core/store/postgres/prove-writable.ts';
import { explainOpenFailure } from '../core/store/postgres/explain-open-failure.ts';
import { openPostgresConnection } from '../core/store/postgres/postgres-connection.ts';
import { sqlState } from '../core/store/postgres/postgres-fault.ts';
import { postgresLimits } from '../core/store/postgres/postgres-limits.ts';
import { storeFile } from '../core/store/sqlite/open-sqlite-store.ts';
import { openSqliteConnection } from '../core/store/sqlite/sqlite-connection.ts';
import {
  describeStoreFault,
  StoreUnavailableError,
  type StoreFault,
} from '../core/store/store-unavailable-error.ts';

/** Whether the database of the settings takes writes now. `line` is what an operator reads. */
export type WriteProof =
  { kind: 'no_database' } | { kind: 'writable' } | { kind: 'not_writable'; fault: StoreFault; line: string };

type Place = Pick<Config, 'dataDir' | 'databaseUrl'>;

/** Writes as `/readyz` does, from outside the service. Leaves the schema and every row of an account alone. */
export async function proveStoreWritable({ dataDir, databaseUrl }: Place): Promise<WriteProof> {
  return databaseUrl === undefined ? proveFile(storeFile(dataDir)) : provePostgres(databaseUrl);
}

async function provePostgres(url: string): Promise<WriteProof> {
  const limits = postgresLimits();
  try {
    const connection = await openPostgresConnection({ url, limits });
    try {
      await createWriteProof(limits)(connection);
      return { kind: 'writable' };
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (sqlState(error) === undefinedTable) return { kind: 'no_database' };
    if (!(error instanceof StoreUnavailableError)) throw error;
    const { fault, message } = error;
    const line = fault === 'unreachable' ? explainOpenFailure(error, url) : message;
    return { kind: 'not_writable', fault, line };
  }
}

const undefinedTable = '42P01';

async function proveFile(file: string): Promise<WriteProof> {
  if (!existsSync(file)) return { kind: 'no_database' };
  try {
    const connection = openSqliteConnection({ file, busyTimeoutMs: 5_000, cacheMb: 16 });
    try {
      await connection.execute(`update schema_version set opened_at = ${Date.now()}`, []);
      return { kind: 'writable' };
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (error instanceof Error && /no such table/.test(error.message)) return { kind: 'no_database' };
    if (!(error instanceof StoreUnavailableError)) throw error;
    const { fault } = error;
    return { kind: 'not_writable', fault, line: `${file} cannot be written: ${describeStoreFault(fault)}` };
  }
}
