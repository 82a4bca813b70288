import { openPostgresStore } from '../db/postgres/open-postgres-store.ts';
import { openSqliteStore, type SqliteStoreOptions } from '../db/sqlite/open-sqlite-store.ts';
import type { Store } from '../db/store.ts';

/** Opens the store that the settings name. If that fails, the error tells the operator why in one line. */
export type OpenStoreOptions = SqliteStoreOptions & {
  /** PostgreSQL; without it, SQLite in the data directory. */
  databaseUrl?: string | undefined;
};

export function openStore({ databaseUrl, ...options }: OpenStoreOptions): Promise<Store> {
  return databaseUrl === undefined
    ? openSqliteStore(options)
    : openPostgresStore({ databaseUrl, onGroup: options.onGroup });
}
