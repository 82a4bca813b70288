import { openSqliteStore, type SqliteStoreOptions } from '../core/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../core/store/store.ts';
import { listeners } from './whole-store.ts';

export type OpenStoreOptions = Omit<SqliteStoreOptions, 'listeners'> & {
  /** PostgreSQL; without it, SQLite in the data directory. */
  databaseUrl?: string | undefined;
};

/** Opens the store that the settings name. If that fails, the error tells the operator why in one line. */
export async function openStore({ databaseUrl, ...given }: OpenStoreOptions): Promise<Store> {
  const options = { ...given, listeners };
  if (databaseUrl === undefined) return openSqliteStore(options);
  const { openPostgresStore } = await import('../core/store/postgres/open-postgres-store.ts');
  return openPostgresStore({ databaseUrl, ...options });
}
