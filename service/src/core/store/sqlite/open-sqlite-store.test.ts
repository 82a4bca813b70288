import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import type { Connection } from '../connection.ts';
import { openSqliteStore } from './open-sqlite-store.ts';
import { openSqliteConnection } from './sqlite-connection.ts';
import { statement } from '../statement.ts';
import { StoreOpenError } from '../store-open-error.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';

function newDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'mailproof-test-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function lineOf(dataDir: string): Promise<string> {
  const error: unknown = await openSqliteStore({ dataDir, check: true }).then(
    (store) => store.close(),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof StoreOpenError, `opened, or threw ${String(error)}`);
  assert.equal(error.line.includes('\n'), false);
  return error.line;
}

async function makeAndClose(dataDir: string): Promise<string> {
  await (await openSqliteStore({ dataDir, check: true })).close();
  return join(dataDir, 'mailproof.db');
}

const settingsOf = async (connection: Connection) =>
  Promise.all(
    ['journal_mode', 'synchronous', 'foreign_keys', 'secure_delete'].map(async (name) => {
      const { rows } = await connection.execute(`pragma ${name}`, []);
      return Object.values(rows[0] as object)[0] as unknown;
    }),
  );

describe('opening the store', () => {
  it('sets durability, references and erasure on every connection of every open', async (t) => {
    const dataDir = newDir(t);
    for (let round = 0; round < 2; round += 1) {
      const opened: Connection[] = [];
      const connect = (options: Parameters<typeof openSqliteConnection>[0]) => {
        const connection = openSqliteConnection(options);
        opened.push(connection);
        return connection;
      };
      const store = await openSqliteStore({ dataDir, check: true }, { connect });
      for (const connection of opened.slice(1))
        assert.deepEqual(await settingsOf(connection), ['wal', 2, 1, 1]);
      assert.ok(opened.length >= 3);
      await store.close();
    }
  });

  it('keeps its files from other users', async (t) => {
    const file = await makeAndClose(join(newDir(t), 'new', 'data'));
    assert.equal(statSync(file).mode & 0o077, 0);
    assert.equal(statSync(join(file, '..')).mode & 0o077, 0);
  });

  it('says that a data directory is of a newer version', async (t) => {
    const dataDir = newDir(t);
    const file = await makeAndClose(dataDir);
    const database = new DatabaseSync(file);
    database.exec('update schema_version set version = 99, serves = 98');
    database.close();
    assert.match(await lineOf(dataDir), /newer version of Mailproof \(schema 99, this one knows \d+\)/);
  });

  it('says that a file is no database', async (t) => {
    const dataDir = newDir(t);
    writeFileSync(join(dataDir, 'mailproof.db'), 'these are not the bytes you are looking for'.repeat(200));
    assert.match(await lineOf(dataDir), /damaged/);
  });

  it('finds damage inside the file', async (t) => {
    const dataDir = newDir(t);
    const file = await makeAndClose(dataDir);
    const descriptor = openSync(file, 'r+');
    for (let page = 2; page < statSync(file).size / 4096; page += 1)
      writeSync(descriptor, Buffer.alloc(64, 0xa5), 0, 64, page * 4096);
    assert.match(await lineOf(dataDir), /damaged/);
  });

  it('looks through a large file after it is opened, and tells of the damage then', async (t) => {
    const dataDir = newDir(t);
    const file = await makeAndClose(dataDir);
    const open = () => openSqliteStore({ dataDir, check: true }, { checkedAtOnceBytes: 0 });
    const never = new AbortController().signal;
    const sound = await open();
    assert.equal(await sound.findDamage(never), undefined);
    await sound.close();
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, Buffer.alloc(64, 0xa5), 0, 64, statSync(file).size - 8_192);
    const damaged = await open();
    assert.match((await damaged.findDamage(never)) ?? '', /damaged.*restore it from a backup/);
    await assert.rejects(damaged.findDamage(AbortSignal.abort()), { name: 'AbortError' });
    await damaged.close();
  });

  it('says that the data directory is no directory', async (t) => {
    const file = join(newDir(t), 'a-file');
    writeFileSync(file, '');
    assert.match(await lineOf(file), /cannot be opened for writing.*MAILPROOF_DATA_DIR/);
  });

  it('says that it may not write', async (t) => {
    const dataDir = newDir(t);
    const file = await makeAndClose(dataDir);
    chmodSync(file, 0o444);
    chmodSync(dataDir, 0o555);
    const line = await openAsOrdinaryUser(dataDir, file);
    chmodSync(dataDir, 0o755);
    assert.match(line, /cannot be opened for writing/);
  });

  it('says that the disk is full', async (t) => {
    const dataDir = newDir(t);
    const connect = (options: Parameters<typeof openSqliteConnection>[0]) => {
      const connection = openSqliteConnection(options);
      void connection.execute('pragma max_page_count = 3', []);
      return connection;
    };
    await assert.rejects(openSqliteStore({ dataDir, check: true }, { connect }), (error: unknown) => {
      assert.ok(error instanceof StoreOpenError);
      assert.match(error.line, /disk is full/);
      return true;
    });
  });

  it('is safe for several processes that make the same directory at once', async (t) => {
    const dataDir = newDir(t);
    const script = `
      import { openSqliteStore } from ${JSON.stringify(new URL('open-sqlite-store.ts', import.meta.url).href)};
      const store = await openSqliteStore({ dataDir: ${JSON.stringify(dataDir)}, check: true });
      await store.check(Date.now());
      await store.close();`;
    const ended = await Promise.all([1, 2, 3, 4].map(() => runScript(script)));
    assert.deepEqual(
      ended.map(({ code }) => code),
      [0, 0, 0, 0],
      ended.map(({ errors }) => errors).join('\n'),
    );
  });

  it('waits for a process that is just closing the file, whichever connection meets it', async (t) => {
    const dataDir = newDir(t);
    for (const meets of [1, 2, 3]) {
      let opened = 0;
      const connect = (options: Parameters<typeof openSqliteConnection>[0]) => {
        opened += 1;
        if (opened === meets) throw new StoreUnavailableError('busy');
        return openSqliteConnection(options);
      };
      await (await openSqliteStore({ dataDir, check: true }, { connect })).close();
      assert.equal(opened, 4);
    }
  });
});

describe('the store at run time', () => {
  const fill = statement((db, arg: { version: number }) =>
    db.insertInto('schema_version').values({ version: arg.version, opened_at: 0 }),
  );

  it('is unavailable while the disk is full, and works again when there is room', async (t) => {
    const dataDir = newDir(t);
    const opened: Connection[] = [];
    const connect = (options: Parameters<typeof openSqliteConnection>[0]) => {
      const connection = openSqliteConnection(options);
      opened.push(connection);
      return connection;
    };
    const store = await openSqliteStore({ dataDir, check: true }, { connect });
    const writer = opened[1];
    assert.ok(writer);
    const { rows } = await writer.execute('pragma page_count', []);
    const pages = Object.values(rows[0] as object)[0] as number;
    await writer.execute(`pragma max_page_count = ${pages}`, []);
    const flood = () =>
      Promise.all(
        Array.from({ length: 5_000 }, (_, n) => store.write((tx) => tx.change(fill, { version: n }))),
      );
    await assert.rejects(
      flood(),
      (error: unknown) => error instanceof StoreUnavailableError && error.fault === 'full',
    );
    await writer.execute('pragma max_page_count = 1000000', []);
    await store.check(1);
    await flood();
    await store.close();
  });

  it('a snapshot sees one moment', async (t) => {
    const store = await openSqliteStore({ dataDir: newDir(t), check: true });
    const count = statement((db) =>
      db.selectFrom('schema_version').select((eb) => eb.fn.countAll<number>().as('rows')),
    );
    await store.snapshot(async (reader) => {
      const before = await reader.first(count, {});
      await store.write((tx) => tx.change(fill, { version: 5 }));
      assert.deepEqual(await reader.first(count, {}), before);
    });
    assert.equal((await store.read.first(count, {}))?.rows, 2);
    await store.close();
  });

  const put = statement((db, arg: { id: string; name: string }) =>
    db.insertInto('account').values({
      id: arg.id,
      name: arg.name,
      plan: 'none',
      granted: 0,
      available: 0,
      reserved: 0,
      spent: 0,
      entries: 0,
      touched_at: 0,
      frozen_at: null,
      created_at: 0,
    }),
  );
  it('what is carried over is in its file, also where it is asked for many times at once', async (t) => {
    const dataDir = newDir(t);
    const store = await openSqliteStore({ dataDir, check: true });
    const isIn = (end: string) => readFileSync(join(dataDir, `mailproof.db${end}`)).includes('canary');
    await store.write((tx) => tx.change(put, { id: 'a', name: 'canary' }));
    assert.deepEqual([isIn(''), isIn('-wal')], [false, true]);
    await Promise.all([store.carryOver(), store.carryOver(), store.carryOver()]);
    assert.equal(isIn(''), true);
    await store.write((tx) => tx.change(put, { id: 'b', name: 'another' }));
    await store.carryOver();
    await store.close();
  });

  it('holds no byte of what was deleted once its log is truncated', async (t) => {
    const dataDir = newDir(t);
    const store = await openSqliteStore({ dataDir, check: true });
    const drop = statement((db, arg: { id: string }) => db.deleteFrom('account').where('id', '=', arg.id));
    const holds = () =>
      ['', '-wal', '-shm'].some((end) =>
        readFileSync(join(dataDir, `mailproof.db${end}`)).includes('canary'),
      );
    await store.write((tx) => tx.change(put, { id: 'a', name: 'canary'.repeat(2_000) }));
    assert.equal(holds(), true);
    await store.write((tx) => tx.change(drop, { id: 'a' }));
    assert.equal(await store.truncateLog(), true);
    assert.equal(holds(), false);
    await store.close();
  });
});

/** Root may write everywhere, so where the tests run as root the store is opened by somebody else. */
async function openAsOrdinaryUser(dataDir: string, file: string): Promise<string> {
  if (process.getuid?.() !== 0) return lineOf(dataDir);
  const nobody = 65_534;
  chownSync(dataDir, nobody, nobody);
  chownSync(file, nobody, nobody);
  const script = `
    import { openSqliteStore } from ${JSON.stringify(new URL('open-sqlite-store.ts', import.meta.url).href)};
    process.setgid(${nobody}); process.setuid(${nobody});
    await openSqliteStore({ dataDir: ${JSON.stringify(dataDir)}, check: true }).then(
      () => console.error('opened'), (error) => console.error(error.line ?? error));`;
  return (await runScript(script)).errors;
}

async function runScript(script: string): Promise<{ code: unknown; errors: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code] = (await once(child, 'close')) as [unknown];
  return { code, errors };
}
