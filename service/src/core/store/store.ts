import type { ProcessRegistry, ProcessRole } from './process-registry.ts';
import type { Reader, Tx } from './statement.ts';
import type { WallClock } from './wall-clock.ts';

/**
 * The steps of a request: finding the owner of its key, then its work, then its end after a mail host has answered.
 * Each has its own time.
 */
export type RequestStep = 'key' | 'work' | 'end';

/** The store as the rest of the service sees it, on SQLite or PostgreSQL. */
export type Store = {
  /** Reads committed rows, one statement at a time. */
  read: Reader;
  /**
   * Runs an operation in a transaction and resolves after its commit. Operations of many callers share transactions
   * (see groups/commit-group.ts). An operation only uses its `tx`, and if it refuses it has written nothing.
   * Operations with the same serial key run in one transaction after another, across all processes. Operations that
   * move an account's credits have its id as their key. On SQLite everything is serial.
   */
  write: <T>(operation: (tx: Tx) => Promise<T>, serialKey?: string) => Promise<T>;
  /** The same for an operation that reads and then decides: no other with its key comes between its statements. */
  writeAlone: <T>(operation: (tx: Tx) => Promise<T>, serialKey: string) => Promise<T>;
  /**
   * The same for work that is repeated if it is lost, such as erasing expired rows. On PostgreSQL its locks are not
   * held until the disk has its commit, and a crash may undo the last second.
   */
  writeRepeatable: <T>(operation: (tx: Tx) => Promise<T>, serialKey: string) => Promise<T>;
  /**
   * The same for work that can be done in smaller steps. On PostgreSQL it is undone if it would keep its locks for
   * long, and throws a `StoreUnavailableError` with the fault `slow`. On SQLite it is never undone.
   */
  writeBriefly: <T>(operation: (tx: Tx) => Promise<T>, serialKey: string) => Promise<T>;
  /**
   * The store for one step of a request. Its client waits, so all its calls together are answered or refused within
   * moments, while the service's own work may wait for seconds. A write that was refused because it took too long
   * is not committed later, unless its commit had been sent.
   */
  withRequestDeadline: (step: RequestStep) => Pick<Store, 'read' | 'write'>;
  /** The longest current wait of a write for its transaction. */
  waitMs: () => number;
  /** Reads one moment of the whole database, however long it takes. */
  snapshot: <T>(look: (reader: Reader) => Promise<T>) => Promise<T>;
  /**
   * Waits until earlier commits are in the database file, so that no commit of others has to move them. For jobs
   * that write much.
   */
  carryOver: () => Promise<void>;
  /** Erases the log's copies of deleted rows; returns `false` if a reader still uses it. */
  truncateLog: () => Promise<boolean>;
  /** Resolves if the store can be written to now, and throws `StoreUnavailableError` otherwise. */
  check: (now: number) => Promise<void>;
  /**
   * Checks the parts that were too large to check at the opening, however long it takes. Returns the damage in one
   * line for the operator, if there is any.
   */
  findDamage: (stop: AbortSignal) => Promise<string | undefined>;
  /** Registers this process among those of the store; needed to hold reservations and leases. */
  joinRegistry: (role?: ProcessRole) => Promise<ProcessRegistry>;
  /** The database's own time, which all its processes share; undefined if a process must use its own. */
  clock: WallClock | undefined;
  /**
   * Tells every process that listens on the channel that there is news. It does not wait, and a notice may be lost.
   */
  notify: (channel: string) => void;
  /** Calls `onNotice` at a notice, and now and then without one. The returned function ends it. */
  listen: (channel: string, onNotice: () => void) => () => void;
  close: () => Promise<void>;
};
