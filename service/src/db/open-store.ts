import {
  openSqliteStore,
  type SqliteStoreOptions,
  type SqliteStoreParts,
} from './sqlite/open-sqlite-store.ts';
import type { Store } from './store.ts';

/** Opens the store that the settings name. Whatever stands in the way ends as one line for the operator. */
export type OpenStoreOptions = SqliteStoreOptions;
export type OpenStoreParts = SqliteStoreParts;

export function openStore(options: OpenStoreOptions, parts?: OpenStoreParts): Promise<Store> {
  return openSqliteStore(options, parts);
}
