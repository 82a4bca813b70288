import type { ProcessRegistry, ProcessRole } from './process-registry.ts';
import type { Reader, Tx } from './statement.ts';
import type { WallClock } from './wall-clock.ts';

/** Finding out whose key it is, then what it asks for, then ending it after a mail host was asked: each has its own time. */
export type RequestStep = 'key' | 'work' | 'end';

/**
 * The store as the rest of the service sees it. SQLite or PostgreSQL stands behind it.
 */
export type Store = {
  /** Looks at what is committed, one statement at a time. */
  read: Reader;
  /**
   * Runs an operation in a transaction and answers after its commit. Operations of many callers share
   * transactions (see groups/commit-group.ts): an operation does nothing but use its `tx`, and if it refuses it
   * has written nothing. Operations with the same serial key run in one transaction after the other, over all
   * processes; what moves an account's credits has the account's id as its key. On SQLite everything is serial.
   */
  write: <T>(operation: (tx: Tx) => Promise<T>, serialKey?: string) => Promise<T>;
  /** The same for an operation that decides by what it has read: no other with its key comes between its statements. */
  writeAlone: <T>(operation: (tx: Tx) => Promise<T>, serialKey: string) => Promise<T>;
  /**
   * The same for what is done again if it is lost, such as erasing what has expired: on PostgreSQL its locks are not held
   * until the disk has its commit, and a crash may undo what was answered in the last second.
   */
  writeRepeatable: <T>(operation: (tx: Tx) => Promise<T>, serialKey: string) => Promise<T>;
  /**
   * The same for what can be done in smaller steps: on PostgreSQL it is undone where it would keep its locks for long, and
   * throws a `StoreUnavailableError` with the fault `slow`. On SQLite it is never undone.
   */
  writeBriefly: <T>(operation: (tx: Tx) => Promise<T>, serialKey: string) => Promise<T>;
  /**
   * The store for one step of a request. Its client waits, so all that is asked of it together is answered or refused
   * within moments, where the work of the service itself may wait for seconds. A write that was refused because it took
   * too long is not committed later, unless its commit had been sent.
   */
  withRequestDeadline: (step: RequestStep) => Pick<Store, 'read' | 'write'>;
  /** How long the write that has waited longest has been waiting for its transaction. */
  waitMs: () => number;
  /** Looks at one moment of the whole database, however long it takes. */
  snapshot: <T>(look: (reader: Reader) => Promise<T>) => Promise<T>;
  /**
   * For whoever writes much: waits until what was written is where it stays, so that no commit of others has to see to it.
   */
  carryOver: () => Promise<void>;
  /** Erases what the log still holds of deleted rows; `false` where somebody is still reading it. */
  truncateLog: () => Promise<boolean>;
  /** Whether it can be written to now. Throws `StoreUnavailableError` where not. */
  check: (now: number) => Promise<void>;
  /**
   * Looks through what was too large to look through when it was opened, however long it takes. Says what is wrong in one
   * line for the operator, if anything is.
   */
  findDamage: (stop: AbortSignal) => Promise<string | undefined>;
  /** Takes part among the processes of this store, for those that hold reservations and leases. */
  joinRegistry: (role?: ProcessRole) => Promise<ProcessRegistry>;
  /** The database's own time, which all its processes share; where it has none, a process goes by its own. */
  clock: WallClock | undefined;
  /** Tells every process that listens on the channel that there is something new. Does not wait, and may be lost. */
  notify: (channel: string) => void;
  /** Calls `onNotice` at a notice, and now and then without one. The answer ends it. */
  listen: (channel: string, onNotice: () => void) => () => void;
  close: () => Promise<void>;
};
