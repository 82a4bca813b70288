import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { openPostgresStore } from '../../../src/core/store/postgres/open-postgres-store.ts';
import { startPrivatePostgres } from '@mailproof/world/database';

/**
 * Databases for tests, each its own, on one server: the one that MAILPROOF_TEST_POSTGRES_URL names (`npm test` sets
 * it), or else one that this process starts and takes with it.
 */
type PostgresDatabase = {
  url: string;
  /** Runs SQL past the service, one statement or many. */
  execute: (sql: string) => Promise<void>;
  /** Every row of every table, as text. */
  contents: () => Promise<Buffer>;
  /** To be called once its store is closed. */
  giveBack: () => Promise<void>;
};

/**
 * A database with the tables of this version and nothing in them. Making one takes longer than most tests, so it is
 * emptied and lent again, unless its tables were changed.
 */
export async function borrowPostgresDatabase(): Promise<PostgresDatabase> {
  const database = free.pop() ?? (await createPostgresDatabase('migrated'));
  let changed = false;
  return {
    ...database,
    execute: async (sql) => {
      changed ||= /\balter table\b/.test(sql);
      await database.execute(sql);
    },
    giveBack: async () => {
      if (changed) return database.giveBack();
      await database.execute(emptyTables);
      free.push(database);
    },
  };
}

const free: PostgresDatabase[] = [];

const emptyTables = `set session_replication_role = replica; do $$ declare relation regclass; begin
  for relation in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
                  and relname <> 'schema_version' loop
    execute format('delete from %s', relation);
  end loop;
  for relation in select oid from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace loop
    execute format('alter sequence %s restart', relation);
  end loop;
  delete from schema_version where ctid <> (select min(ctid) from schema_version);
end $$`;

/** `migrated` has the tables of this version, made once and copied; `empty` has none. */
export async function createPostgresDatabase(kind: 'migrated' | 'empty'): Promise<PostgresDatabase> {
  const server = await serverUrl();
  const name = `mailproof_test_${process.pid}_${randomBytes(6).toString('hex')}`;
  const model = kind === 'migrated' ? await template() : 'template0';
  await run(server, `create database ${name} template ${model}`);
  const url = withDatabase(server, name);
  return {
    url,
    execute: async (sql) => {
      await run(url, sql);
    },
    contents: () => contentsOf(url),
    giveBack: async () => {
      await run(server, `drop database ${name} with (force)`);
    },
  };
}

/** Drops what a run, or one process of it, has left on a server that goes on. */
export async function dropTestDatabases(server: string, processId?: number): Promise<void> {
  const prefix = processId === undefined ? 'mailproof_test_' : `mailproof_test_${processId}_`;
  const left = await run(
    server,
    `select datname as text from pg_database where starts_with(datname, '${prefix}')`,
  );
  for (const name of left) await run(server, `drop database if exists ${name} with (force)`);
}

const serverUrl = once(async () => {
  const given = process.env['MAILPROOF_TEST_POSTGRES_URL'];
  return given ?? (await startPrivatePostgres()).url;
});

const template = once(async () => {
  const server = await serverUrl();
  const name = `mailproof_template_${hashOfSchema()}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    // Of the test files that run side by side, one makes it.
    await client.query('select pg_advisory_lock(1836060900, 0)');
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await makeTemplate(client, server, name);
  } finally {
    await client.end();
  }
  return name;
});

/** Under another name until it is whole. */
async function makeTemplate(client: pg.Client, server: string, name: string): Promise<void> {
  await client.query(`drop database if exists ${name}_unfinished with (force)`);
  await client.query(`create database ${name}_unfinished template template0`);
  const store = await openPostgresStore({ databaseUrl: withDatabase(server, `${name}_unfinished`) });
  await store.close();
  await client.query(`alter database ${name}_unfinished rename to ${name}`);
}

/** A server that outlives a test run keeps templates; each schema has its own. */
function hashOfSchema(): string {
  const folder = new URL('../../../src/core/store/migrations/', import.meta.url);
  const hash = createHash('sha256');
  for (const file of readdirSync(folder).sort()) hash.update(readFileSync(new URL(file, folder)));
  hash.update(readFileSync(new URL('../dialect.ts', folder)));
  return hash.digest('hex').slice(0, 12);
}

async function contentsOf(url: string): Promise<Buffer> {
  const tables = await run(
    url,
    `select relname as text from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const texts = await Promise.all(
    tables.map(async (table) => [table, ...(await run(url, `select t::text as text from ${table} t`))]),
  );
  return Buffer.from(texts.flat().join('\n'));
}

/** The column `text` of the rows, where there is one. */
async function run(url: string, sql: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ text: string }>(sql);
    return Array.isArray(rows) ? rows.map(({ text }) => text) : [];
  } finally {
    await client.end();
  }
}

function withDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}
