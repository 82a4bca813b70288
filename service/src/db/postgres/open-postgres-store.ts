import { asTx, rememberCompiled } from '../as-tx.ts';
import type { Connection } from '../connection.ts';
import { postgresDialect, type Dialect } from '../dialect.ts';
import { migrate } from '../migrate.ts';
import type { Store } from '../store.ts';
import { StoreOpenError } from '../store-open-error.ts';
import { createCircuit, type Circuit } from './circuit.ts';
import { createDeadlines } from './deadlines.ts';
import { createDatabaseClock } from './database-clock.ts';
import { tooLate } from './group-time.ts';
import { hasOwnSession } from './has-own-session.ts';
import { createLaneGroups } from './lane-groups.ts';
import { limitWaiting } from './limit-waiting.ts';
import { createLines } from './lines.ts';
import { createNotices } from './notices.ts';
import { databaseName, lineForSharing, lineForTrouble } from './open-trouble.ts';
import { postgresLimits, type PostgresLimits } from './postgres-limits.ts';
import { openPostgresLine, type PostgresLine, type PostgresLineOptions } from './postgres-line.ts';
import { announceInTable } from './process-table.ts';
import { createReadingLines } from './reading-lines.ts';
import { createStandingLine } from './standing-line.ts';

/**
 * Opens the PostgreSQL database that a URL names and brings it to the schema of this version. Whatever stands in
 * the way ends as one line for the operator, which never holds the password.
 */
type PostgresStoreOptions = { databaseUrl: string };

type PostgresStoreParts = {
  connect: (options: PostgresLineOptions) => Promise<PostgresLine>;
  limits: Partial<PostgresLimits>;
};

const oldestServer = 150_000;

export async function openPostgresStore(
  { databaseUrl: url }: PostgresStoreOptions,
  { connect = openPostgresLine, limits: changed = {} }: Partial<PostgresStoreParts> = {},
): Promise<Store> {
  const limits = postgresLimits(changed);
  const dialect = postgresDialect();
  const open = () => connect({ url, limits });
  try {
    const line = await open();
    try {
      if (!(await hasOwnSession(line, open))) throw new StoreOpenError(lineForSharing(url));
      await prepare(line, dialect, url);
    } finally {
      await line.close();
    }
    const circuit = createCircuit({ open, limits });
    return await assemble({ circuit, dialect, limits });
  } catch (error) {
    throw error instanceof StoreOpenError ? error : new StoreOpenError(lineForTrouble(error, url), error);
  }
}

async function prepare(line: PostgresLine, { words }: Dialect, url: string): Promise<void> {
  const { rows } = await line.execute(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`,
    [],
  );
  const { version, encoding } = rows[0] as { version: number; encoding: string };
  if (version < oldestServer) {
    const found = Math.floor(version / 10_000);
    throw new StoreOpenError(
      `the database server is PostgreSQL ${found}, and Mailproof needs 15 or later: upgrade it, or set MAILPROOF_DATABASE_URL to another`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new StoreOpenError(
      `the database has the encoding ${encoding}, and Mailproof needs UTF8: create it with encoding 'UTF8'`,
    );
  }
  const migrated = await migrate(line, words);
  if (migrated.kind === 'up_to_date') return;
  throw new StoreOpenError(
    `the database ${databaseName(url)} was written by a newer version of Mailproof (schema ${migrated.version}, this one knows ${migrated.known}): run that version`,
  );
}

type AssembleParts = { circuit: Circuit; dialect: Dialect; limits: PostgresLimits };

async function assemble({ circuit, dialect, limits }: AssembleParts): Promise<Store> {
  const compile = rememberCompiled(dialect.queries);
  const deadlines = createDeadlines();
  const reading = createReadingLines({ circuit, limits });
  // The server itself breaks off what nobody waits for any more.
  const ofRequests = { lockMs: limits.requestLockMs, statementMs: limits.requestMs - limits.commitMs };
  const tune = (line: PostgresLine) => limitWaiting(line, ofRequests, 'line');
  const hurriedReading = createReadingLines({ circuit, limits, tune });
  const lines = createLines({ circuit, most: limits.lanesAtOnce, waitMs: limits.lineWaitMs });
  const spare = createLines({ circuit, most: limits.spareLines, waitMs: limits.lineWaitMs });
  const groups = createLaneGroups({ lines, compile, deadlines, limits });
  const standing = createStandingLine({ circuit, limits });
  const clock = createDatabaseClock({ connection: reading, monotonic: performance });
  const read = asTx(reading, compile);
  const write: Store['write'] = (operation, lane) => groups.write(operation, { lane });
  const hurried: Store['hurried'] = (step) => {
    const until = performance.now() + (step === 'key' ? limits.requestKeyMs : limits.requestMs);
    const isWanted = () => performance.now() < until;
    const execute: Connection['execute'] = (sql, values) =>
      deadlines.race(() => hurriedReading.execute(sql, values, isWanted), { until, late: tooLate });
    return {
      read: asTx({ execute }, compile),
      write: (operation, lane) => groups.write(operation, { lane, until }),
    };
  };
  // The first look waits for a line to be opened, and so is not exact.
  await clock.look();
  await clock.look();
  // Where the database is gone, the time is carried on without it.
  const looking = setInterval(() => void clock.look().catch(() => undefined), limits.clockEveryMs).unref();
  return {
    read,
    write,
    hurried,
    waitMs: groups.waitMs,
    snapshot: (look) =>
      spare.borrow(async (line) => {
        await line.execute('begin isolation level repeatable read read only', []);
        try {
          return await look(asTx(line, compile));
        } finally {
          await line.execute('rollback', []);
        }
      }),
    // What is deleted is gone from view at once; the files are the server's (see docs/operations.md).
    truncateLog: () => Promise.resolve(true),
    check: () => spare.borrow(proveWritable),
    announce: (role = 'all') => announceInTable({ store: { read, write, hurried }, standing, limits }, role),
    clock,
    notify: createNotices({ connection: reading, limits }),
    listen: standing.listen,
    close: async () => {
      clearInterval(looking);
      await groups.close();
      standing.close();
      await circuit.close();
    },
  };
}

/** Only a server that takes writes gives out a number for a transaction. No row is touched, so nobody waits. */
async function proveWritable(line: PostgresLine): Promise<void> {
  await Promise.all(
    ['begin read write', 'select pg_current_xact_id()::text', 'commit'].map((sql) => line.execute(sql, [])),
  );
}
