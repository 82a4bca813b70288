import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Connection } from '../../src/core/store/connection.ts';
import { openStore, type OpenStoreOptions } from '../../src/start/open-store.ts';
import { openPostgresStore } from '../../src/core/store/postgres/open-postgres-store.ts';
import { openPostgresConnection } from '../../src/core/store/postgres/postgres-connection.ts';
import type { ProcessRegistry } from '../../src/core/store/process-registry.ts';
import { openSqliteConnection } from '../../src/core/store/sqlite/sqlite-connection.ts';
import { openSqliteStore, storeFile } from '../../src/core/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../../src/core/store/store.ts';
import { borrowPostgresDatabase, createPostgresDatabase } from './postgres/test-postgres.ts';
import { listeners } from '../../src/start/whole-store.ts';

/** A database to test with: a real one, thrown away afterwards. */
export type TestStore = {
  store: Store;
  /** A directory of its own; with SQLite the database is in it. */
  dataDir: string;
  /** Opens the same database elsewhere: in another process, or once more in this. */
  settings: OpenStoreOptions;
  /** Runs SQL past the service. */
  execute: (sql: string) => Promise<void>;
  /** The same, past every check of the tables and every trigger that refuses something. */
  damage: (sql: string) => Promise<void>;
  /** All that the database holds, in the bytes of its files or the text of its rows. */
  contents: () => Promise<Buffer>;
  /** The process that announced itself so dies without a goodbye. */
  kill: (registry: ProcessRegistry) => Promise<void>;
  close: () => Promise<void>;
};

type TestDatabaseParts = {
  /** Stands between the store and its connections. The tables are then made through it too. */
  wrap: <Line extends Connection>(connection: Line) => Line;
};

export type TestDatabase = {
  name: 'SQLite' | 'PostgreSQL';
  open: (parts?: TestDatabaseParts) => Promise<TestStore>;
};

export const sqlite: TestDatabase = { name: 'SQLite', open: openSqlite };
export const postgresql: TestDatabase = { name: 'PostgreSQL', open: openPostgres };

/** The suites of the store run over each of these. */
export const databases: TestDatabase[] = [sqlite, postgresql];

/** Which database the suites of what stands above the store run on: `PostgreSQL`, or else SQLite. */
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

/** What is watched statement by statement is not watched for durability, and a sync after each costs most of the time. */
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

/** A machine that runs many tests at once is slow, and no database that is gone. */
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

/** A session of a replica runs no triggers but these. */
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
