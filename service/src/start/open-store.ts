import { openSqliteStore, type SqliteStoreOptions } from '../core/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../core/store/store.ts';

/** Opens the store that the settings name. If that fails, the error tells the operator why in one line. */
export type OpenStoreOptions = SqliteStoreOptions & {
  /** PostgreSQL; without it, SQLite in the data directory. */
  databaseUrl?: string | undefined;
};

export async function openStore({ databaseUrl, ...options }: OpenStoreOptions): Promise<Store> {
  if (databaseUrl === undefined) return openSqliteStore(options);
  const { openPostgresStore } = await import('../core/store/postgres/open-postgres-store.ts');
  return openPostgresStore({ databaseUrl, ...options });
}
