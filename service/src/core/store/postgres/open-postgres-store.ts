import { createCompiler } from '../compile-statement.ts';
import type { Connection } from '../connection.ts';
import { createReader } from '../create-tx.ts';
import { postgresDialect, type Dialect } from '../dialect.ts';
import { createDeadlines } from '../groups/deadlines.ts';
import { tooLate } from '../groups/group-deadline.ts';
import { timeGroup, type OnGroup } from '../groups/time-group.ts';
import { createWriteAlone } from '../write-alone.ts';
import { createSerialWriteQueues } from '../groups/serial-write-queues.ts';
import type { SchemaRight } from '../migrations/migrate.ts';
import { createCircuit, type Circuit } from '../pool/circuit.ts';
import { createConnectionPool } from '../pool/connection-pool.ts';
import { createReadPool } from '../pool/read-pool.ts';
import type { Listener } from '../statement.ts';
import type { RequestStep, Store } from '../store.ts';
import { StoreOpenError } from '../store-open-error.ts';
import { createDatabaseClock } from './database-clock.ts';
import { explainOpenFailure } from './explain-open-failure.ts';
import { createListenConnection, createNotifier } from './listen-connection.ts';
import {
  limitWaiting,
  openPostgresConnection,
  type PostgresConnection,
  type PostgresConnectionOptions,
} from './postgres-connection.ts';
import { postgresLimits, type PostgresLimits } from './postgres-limits.ts';
import { prepareDatabase } from './prepare-database.ts';
import { registerInTable } from './process-table.ts';
import { createWriteProof } from './prove-writable.ts';
import { runGroup } from './run-group.ts';

/**
 * Opens the PostgreSQL database of a URL and migrates it to the schema of this version. Any failure becomes one
 * line for the operator, which never contains the password.
 */
type PostgresStoreOptions = {
  databaseUrl: string;
  /** Called after every transaction. */
  onGroup?: OnGroup | undefined;
  /** Default: `migrate`. */
  right?: SchemaRight | undefined;
  listeners?: readonly Listener[] | undefined;
};

type PostgresStoreParts = {
  connect: (options: PostgresConnectionOptions) => Promise<PostgresConnection>;
  limits: Partial<PostgresLimits>;
};

export async function openPostgresStore(
  { databaseUrl: url, onGroup, right, listeners = [] }: PostgresStoreOptions,
  { connect = openPostgresConnection, limits: changed = {} }: Partial<PostgresStoreParts> = {},
): Promise<Store> {
  const limits = postgresLimits(changed);
  const dialect = postgresDialect();
  const open = () => connect({ url, limits });
  try {
    await prepareDatabase({ open, words: dialect.words, url, right });
    const circuit = createCircuit({ open, limits });
    return await assemble({ circuit, dialect, limits, onGroup, listeners });
  } catch (error) {
    throw error instanceof StoreOpenError ? error : new StoreOpenError(explainOpenFailure(error, url), error);
  }
}

type AssembleParts = {
  circuit: Circuit<PostgresConnection>;
  dialect: Dialect;
  limits: PostgresLimits;
  onGroup: OnGroup | undefined;
  listeners: readonly Listener[];
};

/** The server itself stops statements after the request's deadline. */
function createRequestReadPool(connect: Circuit<PostgresConnection>['connect'], limits: PostgresLimits) {
  const ofRequests = { lockMs: limits.requestLockMs, statementMs: limits.requestMs - limits.commitMs };
  const prepare = (connection: PostgresConnection) => limitWaiting(connection, ofRequests, 'connection');
  return createReadPool({ connect, limits, prepare });
}

async function assemble(parts: AssembleParts): Promise<Store> {
  const { circuit, dialect, limits } = parts;
  const { connect } = circuit;
  const compile = createCompiler(dialect.queries);
  const deadlines = createDeadlines();
  const readPool = createReadPool({ connect, limits });
  const requestReadPool = createRequestReadPool(connect, limits);
  const waitMs = limits.connectionWaitMs;
  const pool = createConnectionPool({ connect, most: limits.writeConnections, waitMs });
  const sparePool = createConnectionPool({ connect, most: limits.spareConnections, waitMs });
  const queues = createSerialWriteQueues({
    runGroup: (operations, group) => {
      const run = () => runGroup(operations, { ...group, ...parts, pool, compile });
      return timeGroup(operations.length, run, parts.onGroup);
    },
    deadlines,
    limits,
  });
  const listening = createListenConnection({ connect, limits });
  const proveWritable = createWriteProof(limits);
  const clock = createDatabaseClock({ connection: readPool, monotonic: performance });
  const read = createReader(readPool, compile);
  const write: Store['write'] = (operation, serialKey) => queues.write(operation, { serialKey });
  const withRequestDeadline: Store['withRequestDeadline'] = (step) => {
    const until = performance.now() + timeOf(step, limits);
    const isWanted = () => performance.now() < until;
    const execute: Connection['execute'] = (sql, values) =>
      deadlines.race(() => requestReadPool.execute(sql, values, isWanted), { until, late: tooLate });
    return {
      read: createReader({ execute }, compile),
      write: (operation, serialKey) => queues.write(operation, { serialKey, until, ends: step === 'end' }),
    };
  };
  // The first reading waits for a connection to open, so it is not exact.
  for (let looks = 0; looks < 2; looks += 1) await clock.look();
  // If the database is down, the clock runs on without it.
  const looking = setInterval(() => void clock.look().catch(() => undefined), limits.clockEveryMs).unref();
  return {
    read,
    write,
    writeAlone: createWriteAlone(write),
    writeRepeatable: (operation, serialKey) => queues.write(operation, { serialKey, kind: 'repeatable' }),
    writeBriefly: (operation, serialKey) => queues.write(operation, { serialKey, kind: 'brief' }),
    withRequestDeadline,
    waitMs: queues.waitMs,
    snapshot: (look) =>
      sparePool.borrow(async (connection) => {
        await connection.execute('begin isolation level repeatable read read only', []);
        try {
          return await look(createReader(connection, compile));
        } finally {
          await connection.execute('rollback', []);
        }
      }),
    // Deleted rows disappear from view at once; the files are the server's (see docs/operations.md).
    carryOver: () => Promise.resolve(),
    truncateLog: () => Promise.resolve(true),
    // The files are the server's.
    findDamage: () => Promise.resolve(undefined),
    check: () => sparePool.borrow(proveWritable),
    joinRegistry: (role = 'all') =>
      registerInTable({ store: { read, write, withRequestDeadline }, listening, limits }, role),
    clock,
    notify: createNotifier({ connection: readPool, limits }),
    listen: listening.listen,
    close: async () => {
      clearInterval(looking);
      await queues.close();
      listening.close();
      await circuit.close();
    },
  };
}

function timeOf(step: RequestStep, limits: PostgresLimits): number {
  switch (step) {
    case 'key':
      return limits.requestKeyMs;
    case 'work':
      return limits.requestMs;
    case 'end':
      return limits.requestEndMs;
  }
}
