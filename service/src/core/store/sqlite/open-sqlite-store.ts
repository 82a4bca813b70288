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
 * Opens the SQLite store in a data directory, makes it if there is none, and brings it to the schema of
 * this version. Whatever stands in the way ends as one line for the operator.
 */
export type SqliteStoreOptions = {
  dataDir: string;
  /** Look for damage; a service does, a short command need not. A large file is looked at later (`Store.findDamage`). */
  check: boolean;
  /** Told of every transaction. */
  onGroup?: OnGroup | undefined;
  /** `migrate` unless something else is said. */
  right?: SchemaRight | undefined;
  listeners?: readonly Listener[] | undefined;
};

export type SqliteStoreParts = {
  connect(options: SqliteOptions): Connection;
  /** The largest file that is looked through before it is opened: a moment's work. */
  checkedAtOnceBytes: number;
};

const sqliteStoreParts: SqliteStoreParts = {
  connect: openSqliteConnection,
  checkedAtOnceBytes: 64 * 1_024 * 1_024,
};

const limits = { operationsInGroup: 128, operationsWaiting: 20_000, lockWaitMs: 5_000, lockRetryMs: 5 };
const busyTimeoutMs = 5_000;
/** The pages of a busy hour stay in the memory of whoever writes them. */
const writerCacheMb = 64;
const readerCacheMb = 16;

/** The file of the store in a data directory; there once a store was opened there. */
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
    // The writer waits for its lock in its own way; a reader is never made to wait by the write-ahead log.
    // Whoever closes the last connection locks the file for a moment, even against those who only open it.
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

/** The directory and file are made for this user alone: they hold addresses. */
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

/** Two processes that open a new file together may find it locked while the other sets its journal mode. */
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

/** Tells what is wrong with the file, and what to do about it. */
export function explainFileFault(fault: StoreFault, file: string): string {
  switch (fault) {
    case 'busy':
      return `${file} is locked by another process: stop the process that holds it, then try again`;
    case 'full':
      return `${file} cannot be written, the disk is full: make room, then try again`;
    case 'not_writable':
      return `${file} cannot be opened for writing: make the data directory writable for this user, or set MAILPROOF_DATA_DIR to another`;
    case 'corrupt':
      return `${file} is damaged or is no Mailproof database: restore it from a backup, or set MAILPROOF_DATA_DIR to another directory`;
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

/** Ends what readers share with every commit. */
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
    // Whoever has written reads what was written.
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
    // Whether to wait for the disk is a matter of the connection here, and all share the one that writes.
    writeRepeatable: write,
    // A statement here has the thread until it is done, and nothing breaks it off.
    writeBriefly: write,
    // One file and one process, as a rule: nobody else makes it wait.
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
      // A connection of its own that waits for nobody: the next sweep tries again.
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
      // Held for as long as the store: a lock that nobody refers to would be let go of by the garbage collector.
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

/** Notices within one process: those that share a file do not hear of each other. */
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
