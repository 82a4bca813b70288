import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createPostgresDatabase } from '../../../../test/support/postgres/test-postgres.ts';
import { until } from '../../../../test/support/until.ts';
import type { Connection } from '../connection.ts';
import { postgresDialect, sqliteDialect } from '../dialect.ts';
import { openPostgresConnection } from '../postgres/postgres-connection.ts';
import { postgresLimits } from '../postgres/postgres-limits.ts';
import { migrate, planUpgrade } from './migrate.ts';
import type { Migration } from './migration.ts';
import type { Schema } from '../schema.ts';
import { openSqliteConnection } from '../sqlite/sqlite-connection.ts';

function connect(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), 'mailproof-test-'));
  const connection = openSqliteConnection({ file: join(dir, 'x.db'), busyTimeoutMs: 100, cacheMb: 16 });
  t.after(async () => {
    await connection.close();
    rmSync(dir, { recursive: true, force: true });
  });
  return connection;
}

const { words } = sqliteDialect();
const first: Migration = { version: 1, statements: () => ['create table one (n bigint)'] };
const second: Migration = {
  version: 2,
  statements: () => ['create table two (n bigint)', 'insert into one values (2)'],
};
const broken: Migration = {
  version: 2,
  statements: () => ['create table two (n bigint)', 'insert into nowhere values (2)'],
};

/** Each table of the schema; one that is forgotten here does not compile. */
const described: Record<keyof Schema, true> = {
  account: true,
  api_key: true,
  audit_log: true,
  audit_mark: true,
  egress_address: true,
  engine_memory: true,
  entry: true,
  form_key: true,
  form_use: true,
  hold: true,
  idempotency: true,
  invitation: true,
  item: true,
  list: true,
  list_count: true,
  list_piece: true,
  list_row: true,
  open_task_credits: true,
  person: true,
  probe: true,
  prober: true,
  prober_egress: true,
  prober_history: true,
  process: true,
  schema_version: true,
  session: true,
  task: true,
  used_visit: true,
  verdict_count: true,
  waiting_addresses: true,
  webhook: true,
  webhook_delivery: true,
};

describe('migrations', () => {
  it('make the tables that the schema describes, and no other', async (t) => {
    const onSqlite = connect(t);
    await migrate(onSqlite, words);
    const { url, giveBack } = await createPostgresDatabase('empty');
    t.after(giveBack);
    const onPostgres = await openPostgresConnection({ url, limits: postgresLimits({ statementMs: 60_000 }) });
    t.after(() => onPostgres.close());
    await migrate(onPostgres, postgresDialect().words);
    const wanted = Object.keys(described).sort();
    const sqliteTables = `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`;
    assert.deepEqual(await namesOf(onSqlite, sqliteTables), wanted);
    const postgresTables = `select tablename as name from pg_tables where schemaname = current_schema()`;
    assert.deepEqual(await namesOf(onPostgres, postgresTables), wanted);
  });

  it('are applied once each, in order', async (t) => {
    const connection = connect(t);
    assert.deepEqual(await migrate(connection, words, { steps: [first] }), {
      kind: 'up_to_date',
      version: 1,
    });
    assert.deepEqual(await migrate(connection, words, { steps: [first, second] }), {
      kind: 'up_to_date',
      version: 2,
    });
    assert.deepEqual(await migrate(connection, words, { steps: [first, second] }), {
      kind: 'up_to_date',
      version: 2,
    });
    assert.equal((await connection.execute('select n from one', [])).rows.length, 1);
  });

  it('a program that may only create tables leaves an older database alone', async (t) => {
    const connection = connect(t);
    const right = 'create';
    const made = await migrate(connection, words, { steps: [first], right });
    assert.deepEqual(made, { kind: 'up_to_date', version: 1 });
    const left = await migrate(connection, words, { steps: [first, second], right });
    assert.deepEqual(left, { kind: 'older', version: 1, known: 2 });
    await assert.rejects(connection.execute('select n from two', []), /no such table/);
  });

  it('a step that fails leaves nothing of itself', async (t) => {
    const connection = connect(t);
    await migrate(connection, words, { steps: [first] });
    await assert.rejects(migrate(connection, words, { steps: [first, broken] }));
    await assert.rejects(connection.execute('select n from two', []), /no such table/);
    assert.deepEqual(await migrate(connection, words, { steps: [first, second] }), {
      kind: 'up_to_date',
      version: 2,
    });
  });

  it('a plan says from which schema on the programs of the version before go on', async (t) => {
    const connection = connect(t);
    const next: Migration = { version: 100, statements: () => ['create table next (n bigint)'] };
    for (const [version, goesOn] of [
      [17, false],
      [18, true],
    ] as const) {
      const before: Migration = { version, statements: () => [] };
      await connection.execute('drop table if exists schema_version', []);
      await connection.execute(
        'create table schema_version (version bigint, opened_at bigint, serves bigint)',
        [],
      );
      await migrate(connection, words, { steps: [before] });
      const plan = await planUpgrade(connection, words, [before, next]);
      assert.deepEqual([plan.kind, 'goesOn' in plan && plan.goesOn], ['migrates', goesOn]);
    }
  });

  it('a newer database is left alone', async (t) => {
    const connection = connect(t);
    await migrate(connection, words, { steps: [first, second] });
    assert.deepEqual(await migrate(connection, words, { steps: [first] }), {
      kind: 'newer',
      version: 2,
      known: 1,
    });
  });

  it('a step that PostgreSQL undid, because it and another program waited for each other, is done again', async (t) => {
    const { url, giveBack } = await createPostgresDatabase('empty');
    t.after(giveBack);
    const open = () => openPostgresConnection({ url, limits: postgresLimits({ statementMs: 60_000 }) });
    const [own, other] = [await open(), await open()];
    t.after(() => Promise.all([own.close(), other.close()]));
    const { words: postgresWords } = postgresDialect();
    const tables: Migration = {
      version: 1,
      statements: () => [...postgresWords.firstly, 'create table one (n int)', 'create table two (n int)'],
    };
    await migrate(own, postgresWords, { steps: [tables] });
    // The other locks them in another order, and never notices by itself that nobody gets on.
    await other.execute(`set deadlock_timeout = '1h'`, []);
    await other.execute('begin read write', []);
    await other.execute('insert into two values (1)', []);
    let tries = 0;
    const watched: Connection = {
      ...own,
      execute: (sql, values) => {
        if (sql === 'lock table one') tries += 1;
        return own.execute(sql, values);
      },
    };
    const step: Migration = { version: 2, statements: () => ['lock table one', 'lock table two'] };
    const migrated = migrate(watched, postgresWords, { steps: [tables, step] });
    await until(async () => (await locksWaitedFor(other)) === 1);
    await other.execute('insert into one values (1)', []);
    await other.execute('commit', []);
    assert.deepEqual(await migrated, { kind: 'up_to_date', version: 2 });
    assert.equal(tries, 2);
  });
});

async function namesOf(connection: Connection, sql: string): Promise<string[]> {
  const { rows } = await connection.execute(sql, []);
  return rows.map((row) => String((row as { name: unknown }).name)).sort();
}

async function locksWaitedFor(connection: Connection): Promise<number> {
  const sql = `select count(*) as n from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where not granted and datname = current_database()`;
  const { rows } = await connection.execute(sql, []);
  return Number((rows[0] as { n: unknown }).n);
}
