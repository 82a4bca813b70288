import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import { openThreadedConnection } from './threaded-connection.ts';

function newFile(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'mailproof-test-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, 'x.db');
}

async function connect(t: TestContext, file = newFile(t)) {
  const connection = await openThreadedConnection({ file, busyTimeoutMs: 0 });
  t.after(() => connection.close());
  return connection;
}

describe('a connection in a thread', () => {
  it('runs statements in the order of the asking, before the first is answered', async (t) => {
    const connection = await connect(t);
    const asked = [
      connection.execute('create table x (n integer) strict', []),
      connection.execute('begin', []),
      ...[1, 2, 3].map((n) => connection.execute('insert into x values (?)', [n])),
      connection.execute('select sum(n) as total, max(n) as last from x', []),
    ];
    const answers = await Promise.all(asked);
    assert.deepEqual({ ...(answers.at(-1)?.rows[0] as object) }, { total: 6, last: 3 });
    assert.equal(answers[2]?.changes, 1);
    assert.equal(connection.inTransaction(), true);
    await connection.execute('rollback', []);
    assert.equal(connection.inTransaction(), false);
  });

  it('syncs every commit', async (t) => {
    const connection = await connect(t);
    const { rows } = await connection.execute('pragma synchronous', []);
    assert.deepEqual({ ...(rows[0] as object) }, { synchronous: 2 });
  });

  it("tells the store's trouble from a mistake, and goes on after both", async (t) => {
    const file = newFile(t);
    const connection = await connect(t, file);
    await connection.execute('create table x (n integer) strict', []);
    const other = new DatabaseSync(file);
    other.exec('begin immediate');
    await connection.execute('begin immediate', []);
    for (const sql of ['insert into x values (1)', 'commit']) {
      await assert.rejects(
        connection.execute(sql, []),
        (error) => error instanceof StoreUnavailableError && error.fault === 'busy',
        `${sql} runs in the transaction or not at all`,
      );
    }
    assert.equal(connection.inTransaction(), false);
    other.exec('rollback');
    other.close();
    await connection.execute('begin immediate', []);
    await connection.execute('insert into x values (2)', []);
    await connection.execute('commit', []);
    const { rows } = await connection.execute('select sum(n) as total from x', []);
    assert.deepEqual({ ...(rows[0] as object) }, { total: 2 });
    await assert.rejects(
      connection.execute('select nonsense', []),
      (error) => error instanceof Error && !(error instanceof StoreUnavailableError),
    );
    assert.equal((await connection.execute('select 1 as one', [])).rows.length, 1);
  });

  it('says why a file cannot be opened', async (t) => {
    await assert.rejects(
      openThreadedConnection({ file: join(newFile(t), 'no', 'such', 'place'), busyTimeoutMs: 0 }),
      (error) => error instanceof StoreUnavailableError && error.fault === 'not_writable',
    );
  });

  it('refuses what comes after it was closed, and closing twice is closing once', async (t) => {
    const connection = await connect(t);
    const before = connection.execute('select 1 as one', []);
    await before;
    await Promise.all([connection.close(), connection.close()]);
    await assert.rejects(connection.execute('select 1', []), StoreUnavailableError);
  });
});
