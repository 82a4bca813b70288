import { openSqliteStore, type SqliteStoreOptions } from '../core/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../core/store/store.ts';
import { listeners } from './whole-store.ts';

export type OpenStoreOptions = Omit<SqliteStoreOptions, 'listeners'> & {
  /** PostgreSQL; if absent, SQLite in the data directory. */
  databaseUrl?: string | undefined;
};

/** Opens the configured store. If that fails, the error gives the operator the reason in one line. */
export async function openStore({ databaseUrl, ...given }: OpenStoreOptions): Promise<Store> {
  const options = { ...given, listeners };
  if (databaseUrl === undefined) return openSqliteStore(options);
  const { openPostgresStore } = await import('../core/store/postgres/open-postgres-store.ts');
  return openPostgresStore({ databaseUrl, ...options });
}
