import type { Presence } from './presence.ts';
import type { Reader, Tx } from './statement.ts';

/**
 * The store as the rest of the service sees it. All of it is asynchronous and none of it speaks of SQLite,
 * so that another database can stand behind it.
 */
export type Store = {
  /** Looks at what is committed, one statement at a time. */
  read: Reader;
  /**
   * Runs an operation in a transaction and answers after its commit. Operations of many callers share
   * transactions (see group-commit.ts): an operation does nothing but use its `tx`, and if it refuses it
   * has written nothing.
   */
  write: <T>(operation: (tx: Tx) => Promise<T>) => Promise<T>;
  /** Looks at one moment of the whole database, however long it takes. */
  snapshot: <T>(look: (reader: Reader) => Promise<T>) => Promise<T>;
  /** Erases what the log still holds of deleted rows; `false` where somebody is still reading it. */
  truncateLog: () => Promise<boolean>;
  /** Whether it can be written to now. Throws `StoreUnavailableError` where not. */
  check: (now: number) => Promise<void>;
  /** Takes part among the processes of this store, for those that hold reservations and leases. */
  announce: () => Presence;
  close: () => Promise<void>;
};
