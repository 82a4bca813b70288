import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import type { Connection } from '../../src/core/store/connection.ts';
import { openStore, type OpenStoreOptions } from '../../src/start/open-store.ts';
import { openPostgresStore } from '../../src/core/store/postgres/open-postgres-store.ts';
import { openPostgresConnection } from '../../src/core/store/postgres/postgres-connection.ts';
import type { ProcessRegistry } from '../../src/core/store/process-registry.ts';
import { openSqliteConnection } from '../../src/core/store/sqlite/sqlite-connection.ts';
import { openSqliteStore, storeFile } from '../../src/core/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../../src/core/store/store.ts';
import { borrowPostgresDatabase, createPostgresDatabase, withoutPostgres } from './postgres/test-postgres.ts';
import { listeners } from '../../src/start/whole-store.ts';

/** A database for tests: a real one, deleted afterwards. */
export type TestStore = {
  store: Store;
  /** Its own directory; with SQLite the database is in it. */
  dataDir: string;
  /** Settings to open the same database in another process, or again in this one. */
  settings: OpenStoreOptions;
  /** Runs SQL directly, without the service. */
  execute: (sql: string) => Promise<void>;
  /** The same, without the checks of the tables and the triggers that refuse changes. */
  damage: (sql: string) => Promise<void>;
  /** Returns everything in the database: the bytes of its files or the text of its rows. */
  contents: () => Promise<Buffer>;
  /** Simulates the death of a registered process without a goodbye. */
  kill: (registry: ProcessRegistry) => Promise<void>;
  close: () => Promise<void>;
};

type TestDatabaseParts = {
  /** Wraps the store's connections. The tables are then created through it too. */
  wrap: <Line extends Connection>(connection: Line) => Line;
};

export type TestDatabase = {
  name: 'SQLite' | 'PostgreSQL';
  open: (parts?: TestDatabaseParts) => Promise<TestStore>;
};

export const sqlite: TestDatabase = { name: 'SQLite', open: openSqlite };
export const postgresql: TestDatabase = { name: 'PostgreSQL', open: openPostgres };

/**
 * The databases that the suites of the store run over: `for (const database of databases)`. On a machine without
 * PostgreSQL each such loop leaves a skipped test in its place, which the run names at its end.
 */
export const databases: Iterable<TestDatabase> = {
  *[Symbol.iterator]() {
    yield sqlite;
    if (withoutPostgres === false) yield postgresql;
    else void test('on PostgreSQL', { skip: withoutPostgres });
  },
};

/** The database for suites above the store: `PostgreSQL`, or else SQLite. */
export const serviceOnVariable = 'MAILPROOF_TEST_SERVICE_ON';

/** SQLite with `npm test`, and PostgreSQL with `npm run test:faults` (test/faults/on-postgresql.test.ts). */
export const oneDatabase: TestDatabase[] = [
  process.env[serviceOnVariable] === 'PostgreSQL' ? postgresql : sqlite,
];

async function openSqlite(parts?: TestDatabaseParts): Promise<TestStore> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mailproof-test-'));
  const settings = { dataDir, check: false };
  const store =
    parts === undefined
      ? await openStore({ dataDir, check: true })
      : await openSqliteStore(
          { dataDir, check: true, listeners },
          { connect: (options) => parts.wrap(quick(options)) },
        );
  const run = (...sql: string[]) => {
    const raw = new DatabaseSync(storeFile(dataDir), { enableForeignKeyConstraints: false });
    try {
      for (const one of sql) raw.exec(one);
    } finally {
      raw.close();
    }
    return Promise.resolve();
  };
  return {
    store,
    dataDir,
    settings,
    execute: (sql) => run(sql),
    damage: (sql) => run('pragma ignore_check_constraints = on', ...dropTriggers(dataDir), sql),
    contents: () => Promise.resolve(filesOf(dataDir)),
    kill: async (registry) => {
      await registry.leave();
      // A killed process leaves its file without a lock.
      writeFileSync(join(dataDir, 'processes', `${registry.ownId}.all`), '');
    },
    close: async () => {
      await store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Opens a connection without syncs: tests that watch statements do not test durability, and syncs would take most
 * of the time.
 */
function quick(options: Parameters<typeof openSqliteConnection>[0]): Connection {
  const connection = openSqliteConnection(options);
  void connection.execute('pragma synchronous = off', []);
  return connection;
}

function filesOf(dataDir: string): Buffer {
  const files = readdirSync(dataDir, { withFileTypes: true }).filter((entry) => entry.isFile());
  return Buffer.concat(files.map((entry) => readFileSync(join(dataDir, entry.name))));
}

function dropTriggers(dataDir: string): string[] {
  const raw = new DatabaseSync(storeFile(dataDir));
  const rows = raw
    .prepare(`select name from sqlite_schema where type = 'trigger' and sql like '%raise(%'`)
    .all();
  raw.close();
  return rows.map(({ name }) => `drop trigger ${String(name)}`);
}

/** A busy test machine is slow; that does not mean that the database is gone. */
const patience = {
  requestMs: 60_000,
  requestKeyMs: 60_000,
  requestLockMs: 30_000,
  connectMs: 20_000,
  statementMs: 60_000,
  lockMs: 30_000,
  silenceMs: 60_000,
  connectionWaitMs: 20_000,
  judgeAfterMs: 0,
  writeConnections: 4,
};

/** A session of a replica runs only these triggers. */
const keepSums = ['task_hold_opened', 'task_hold_changed']
  .map((trigger) => `alter table hold enable always trigger ${trigger};`)
  .join(' ');

async function openPostgres(parts?: TestDatabaseParts): Promise<TestStore> {
  const database = await (parts === undefined ? borrowPostgresDatabase() : createPostgresDatabase('empty'));
  const dataDir = mkdtempSync(join(tmpdir(), 'mailproof-test-'));
  const { wrap } = parts ?? { wrap: (line) => line };
  const store = await openPostgresStore(
    { databaseUrl: database.url, listeners },
    { limits: patience, connect: async (options) => wrap(await openPostgresConnection(options)) },
  );
  return {
    store,
    dataDir,
    settings: { dataDir, check: false, databaseUrl: database.url },
    execute: database.execute,
    damage: async (sql) => {
      await database.execute(dropChecks);
      await database.execute(keepSums);
      await database.execute(`set session_replication_role = replica; ${sql}`);
    },
    contents: database.contents,
    kill: async (registry) => {
      await registry.leave();
      await database.execute(`insert into process values ('${registry.ownId}', 'all', 0, 0)`);
    },
    close: async () => {
      await store.close();
      await database.giveBack();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const dropChecks = `do $$ declare rule record; begin
  for rule in select conrelid::regclass as relation, conname from pg_constraint
              where contype = 'c' and connamespace = 'public'::regnamespace loop
    execute format('alter table %s drop constraint %I', rule.relation, rule.conname);
  end loop; end $$`;
