import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCompiler } from '../compile-statement.ts';
import type { Connection } from '../connection.ts';
import { createReader } from '../create-tx.ts';
import { sqliteDialect } from '../dialect.ts';
import type { OnGroup } from '../groups/time-group.ts';
import { createWriteQueue } from '../groups/write-queue.ts';
import { isFileSound } from './check-file.ts';
import { createCheckpointThread } from './checkpoint-thread.ts';
import { migrate, olderSchema, type SchemaRight } from '../migrations/migrate.ts';
import type { ProcessRegistry } from '../process-registry.ts';
import { registerInDataDir } from './process-files.ts';
import { shareReadTransactions, type SharedReads } from './share-read-transactions.ts';
import { openSqliteConnection, type SqliteOptions } from './sqlite-connection.ts';
import { statement, type Listener } from '../statement.ts';
import type { Store } from '../store.ts';
import { createWriteAlone } from '../write-alone.ts';
import { StoreOpenError } from '../store-open-error.ts';
import { StoreUnavailableError, type StoreFault } from '../store-unavailable-error.ts';

/**
 * Opens the SQLite store in a data directory, creates it if it is missing, and migrates it to the schema of this
 * version. Any failure becomes one line for the operator.
 */
export type SqliteStoreOptions = {
  dataDir: string;
  /**
   * Whether to check for damage; a service does, a short command need not. A large file is checked later
   * (`Store.findDamage`).
   */
  check: boolean;
  /** Called after every transaction. */
  onGroup?: OnGroup | undefined;
  /** Default: `migrate`. */
  right?: SchemaRight | undefined;
  listeners?: readonly Listener[] | undefined;
};

export type SqliteStoreParts = {
  connect(options: SqliteOptions): Connection;
  /** The largest file that is checked before it is opened; the check takes a moment. */
  checkedAtOnceBytes: number;
};

const sqliteStoreParts: SqliteStoreParts = {
  connect: openSqliteConnection,
  checkedAtOnceBytes: 64 * 1_024 * 1_024,
};

const limits = { operationsInGroup: 128, operationsWaiting: 20_000, lockWaitMs: 5_000, lockRetryMs: 5 };
const busyTimeoutMs = 5_000;
/** The writer keeps the pages of a busy hour in memory. */
const writerCacheMb = 64;
const readerCacheMb = 16;

/** Returns the path of the store in a data directory. The file exists once a store was opened there. */
export function storeFile(dataDir: string): string {
  return join(resolve(dataDir), 'mailproof.db');
}

export async function openSqliteStore(
  options: SqliteStoreOptions,
  given: Partial<SqliteStoreParts> = {},
): Promise<Store> {
  const parts = { ...sqliteStoreParts, ...given };
  const dataDir = resolve(options.dataDir);
  const file = storeFile(dataDir);
  makeFile(dataDir, file);
  const dialect = sqliteDialect();
  const connect = (timeoutMs: number, cacheMb = readerCacheMb) =>
    parts.connect({ file, busyTimeoutMs: timeoutMs, cacheMb });
  const isSmall = statSync(file).size <= parts.checkedAtOnceBytes;
  try {
    const { right = 'migrate' } = options;
    await prepare(file, { check: options.check && isSmall, connect, words: dialect.words, right });
    // The writer waits for its lock in its own way; the write-ahead log never makes a reader wait. A process that
    // closes the last connection locks the file briefly, even against opening.
    const writer = await patiently(() => connect(0, writerCacheMb));
    const reader = await patiently(() => connect(busyTimeoutMs));
    const findDamage: Store['findDamage'] = async (stop) =>
      !options.check || isSmall || (await isFileSound(file, stop))
        ? undefined
        : explainFileFault('corrupt', file);
    const { onGroup, listeners = [] } = options;
    return { ...assemble({ dataDir, dialect, writer, reader, connect, onGroup, listeners }), findDamage };
  } catch (error) {
    throw error instanceof StoreUnavailableError
      ? new StoreOpenError(explainFileFault(error.fault, file), error)
      : error;
  }
}

/** Creates the directory and the file for this user alone: they hold addresses. */
function makeFile(dataDir: string, file: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'a', 0o600));
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (reason === 'ENOSPC') throw new StoreOpenError(explainFileFault('full', file), error);
    throw new StoreOpenError(`${explainFileFault('not_writable', file)} (${reason})`, error);
  }
}

type PrepareParts = {
  check: boolean;
  connect: (timeoutMs: number) => Connection;
  words: Parameters<typeof migrate>[1];
  right: SchemaRight;
};

async function prepare(file: string, { check, connect, words, right }: PrepareParts): Promise<void> {
  const connection = await patiently(() => connect(busyTimeoutMs));
  try {
    if (check) await refuseDamage(connection, file);
    const migrated = await migrate(connection, words, { right });
    if (migrated.kind === 'older') throw new StoreOpenError(olderSchema(file, migrated));
    if (migrated.kind === 'newer') {
      const { version, known } = migrated;
      throw new StoreOpenError(
        `${file} was written by a newer version of Mailproof (schema ${version}, this one knows ${known}): run that version, or set MAILPROOF_DATA_DIR to another directory`,
      );
    }
    await connection.execute(`update schema_version set opened_at = ${Date.now()}`, []);
  } finally {
    await connection.close();
  }
}

/**
 * Opens a connection and retries while the file is locked. Of two processes that open a new file, one may lock it
 * to set the journal mode.
 */
async function patiently(open: () => Connection): Promise<Connection> {
  for (let triesLeft = 100; ; triesLeft -= 1) {
    try {
      return open();
    } catch (error) {
      const busy = error instanceof StoreUnavailableError && error.fault === 'busy';
      if (!busy || triesLeft === 0) throw error;
      await sleep(50);
    }
  }
}

async function refuseDamage(connection: Connection, file: string): Promise<void> {
  const { rows } = await connection.execute('pragma quick_check(1)', []);
  const first: unknown = rows[0];
  const sound = typeof first === 'object' && first !== null && Object.values(first)[0] === 'ok';
  if (!sound) throw new StoreOpenError(explainFileFault('corrupt', file));
}

/** Explains the problem with the file, and the remedy. */
export function explainFileFault(fault: StoreFault, file: string): string {
  switch (fault) {
    case 'busy':
      return `${file} is locked by another process: stop the process that holds it, then try again`;
    case 'full':
      return `${file} cannot be written, the disk is full: make room, then try again`;
    case 'not_writable':
      return `${file} cannot be opened for writing: make the data directory writable for this user, or set MAILPROOF_DATA_DIR to another`;
    case 'corrupt':
      return `${file} is damaged or is not a Mailproof database: restore it from a backup, or set MAILPROOF_DATA_DIR to another directory`;
    case 'failing':
    case 'closed':
    case 'overloaded':
    case 'unreachable':
    case 'slow':
    case 'unconfirmed':
    case 'conflict':
      return `${file} cannot be read or written: check the disk it is on`;
  }
}

/** Ends the shared read transaction after every commit. */
function refreshing(writer: Connection, reads: Pick<SharedReads, 'refresh'>): Connection['execute'] {
  return (sql, values) => {
    const answer = writer.execute(sql, values);
    if (sql === 'commit') reads.refresh();
    return answer;
  };
}

type AssembleParts = {
  dataDir: string;
  dialect: ReturnType<typeof sqliteDialect>;
  writer: Connection;
  reader: Connection;
  connect: (timeoutMs: number) => Connection;
  onGroup: OnGroup | undefined;
  listeners: readonly Listener[];
};

const touch = statement((db, arg: { now: number }) =>
  db.updateTable('schema_version').set({ opened_at: arg.now }),
);

function assemble(parts: AssembleParts): Omit<Store, 'findDamage'> {
  const { dataDir, dialect, writer, reader, connect, onGroup, listeners } = parts;
  const compile = createCompiler(dialect.queries);
  const registries: ProcessRegistry[] = [];
  const reads = shareReadTransactions(reader);
  const { carryOver, close: endThread } = createCheckpointThread(storeFile(dataDir));
  const queue = createWriteQueue({
    // A caller that has written then reads its own changes.
    connection: { ...writer, execute: refreshing(writer, reads) },
    compile,
    listeners,
    limits,
    onGroup,
  });
  const read = createReader(reads, compile);
  const { write } = queue;
  return {
    read,
    write,
    writeAlone: createWriteAlone(write),
    // In SQLite, waiting for the disk is a setting of the connection, and all writes share one connection.
    writeRepeatable: write,
    // In SQLite a statement keeps the thread until it is done; no limit can stop it.
    writeBriefly: write,
    // As a rule there is one file and one process, so no other process makes it wait.
    withRequestDeadline: () => ({ read, write }),
    waitMs: queue.waitMs,
    snapshot: async (look) => {
      const connection = connect(busyTimeoutMs);
      try {
        await connection.execute('begin', []);
        return await look(createReader(connection, compile));
      } finally {
        await connection.close();
      }
    },
    carryOver,
    truncateLog: async () => {
      await carryOver();
      reads.refresh();
      // A separate connection that does not wait for locks: the next sweep tries again.
      const connection = connect(0);
      try {
        const { rows } = await connection.execute('pragma wal_checkpoint(truncate)', []);
        const first: unknown = rows[0];
        return typeof first === 'object' && first !== null && 'busy' in first && first.busy === 0;
      } finally {
        await connection.close();
      }
    },
    check: async (now) => {
      await queue.write((tx) => tx.change(touch, { now }));
    },
    joinRegistry: (role) => {
      const registry = registerInDataDir(dataDir, role);
      // Referenced for as long as the store is open; otherwise the garbage collector would release the lock.
      registries.push(registry);
      return Promise.resolve(registry);
    },
    clock: undefined,
    ...createLocalNotices(),
    close: async () => {
      await queue.close();
      await endThread();
      await writer.close();
      await reader.close();
    },
  };
}

/** Notices within one process: processes that share a file do not receive each other's. */
function createLocalNotices(): Pick<Store, 'notify' | 'listen'> {
  const listeners = new Map<string, Set<() => void>>();
  return {
    notify: (channel) => listeners.get(channel)?.forEach((onNotice) => onNotice()),
    listen: (channel, onNotice) => {
      const all = listeners.get(channel) ?? new Set();
      listeners.set(channel, all.add(onNotice));
      return () => void all.delete(onNotice);
    },
  };
}
