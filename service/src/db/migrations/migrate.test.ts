import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { sqliteDialect } from '../dialect.ts';
import { migrate, planUpgrade, type Migration } from './migrate.ts';
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

describe('migrations', () => {
  it('are applied once each, in order', async (t) => {
    const connection = connect(t);
    assert.deepEqual(await migrate(connection, words, [first]), { kind: 'up_to_date', version: 1 });
    assert.deepEqual(await migrate(connection, words, [first, second]), { kind: 'up_to_date', version: 2 });
    assert.deepEqual(await migrate(connection, words, [first, second]), { kind: 'up_to_date', version: 2 });
    assert.equal((await connection.execute('select n from one', [])).rows.length, 1);
  });

  it('a step that fails leaves nothing of itself', async (t) => {
    const connection = connect(t);
    await migrate(connection, words, [first]);
    await assert.rejects(migrate(connection, words, [first, broken]));
    await assert.rejects(connection.execute('select n from two', []), /no such table/);
    assert.deepEqual(await migrate(connection, words, [first, second]), { kind: 'up_to_date', version: 2 });
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
      await migrate(connection, words, [before]);
      const plan = await planUpgrade(connection, words, [before, next]);
      assert.deepEqual([plan.kind, 'goesOn' in plan && plan.goesOn], ['migrates', goesOn]);
    }
  });

  it('a newer database is left alone', async (t) => {
    const connection = connect(t);
    await migrate(connection, words, [first, second]);
    assert.deepEqual(await migrate(connection, words, [first]), { kind: 'newer', version: 2, known: 1 });
  });
});
