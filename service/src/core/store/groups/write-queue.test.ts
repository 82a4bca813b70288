import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { databases, postgresql } from '../../../../test/support/databases.ts';
import type { Connection } from '../connection.ts';
import { statement, type BatchWork, type Tx } from '../statement.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';

const addVersion = statement((db, arg: { version: number }) =>
  db.insertInto('schema_version').values({ version: arg.version, opened_at: 0 }),
);
const findVersion = statement((db, arg: { version: number }) =>
  db.selectFrom('schema_version').select('version').where('version', '=', arg.version),
);

const dropVersion = statement((db, arg: { version: number }) =>
  db.deleteFrom('schema_version').where('version', '=', arg.version),
);

function sending(version: number): (tx: Tx) => Promise<void> {
  return (tx) => {
    tx.send(addVersion, { version });
    return Promise.resolve();
  };
}

/** What no type lets in, and no driver can write. */
function unsendable(): number {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  return circle as never;
}

/** A connection that notes what it runs and can be told to fail. */
function watched(log: string[], fail: (sql: string) => Error | undefined = () => undefined) {
  return {
    wrap: <Line extends Connection>(connection: Line): Line => ({
      ...connection,
      execute: (sql, values) => {
        log.push(sql);
        const error = fail(sql);
        return error === undefined ? connection.execute(sql, values) : Promise.reject(error);
      },
    }),
  };
}

for (const database of databases) {
  describe(`group commit on ${database.name}`, () => {
    it('commits what arrives together in one transaction', async () => {
      const log: string[] = [];
      const { store, close } = await database.open(watched(log));
      log.length = 0;
      await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          store.write((tx) => tx.change(addVersion, { version: 100 + n })),
        ),
      );
      assert.equal(log.filter((sql) => sql.startsWith('begin')).length, 1);
      assert.equal(log.filter((sql) => sql === 'commit').length, 1);
      assert.equal(log.filter((sql) => sql.startsWith('savepoint')).length, 0);
      await close();
    });

    it('asks the store for nothing where no operation has a statement, and undoes one that throws all the same', async () => {
      const log: string[] = [];
      const { store, close } = await database.open(watched(log));
      log.length = 0;
      const answers = ['a', 'b'].map((answer) => store.write(() => Promise.resolve(answer)));
      assert.deepEqual(await Promise.all(answers), ['a', 'b']);
      assert.deepEqual(log, []);

      const failing = store.write(() => Promise.reject(new Error('mine')));
      const kept = store.write((tx) => tx.change(addVersion, { version: 8 }));
      await assert.rejects(failing, /mine/);
      assert.equal(await kept, 1);
      assert.notEqual(await store.read.first(findVersion, { version: 8 }), undefined);
      await close();
    });

    it('answers only after the commit', async () => {
      const log: string[] = [];
      const { store, close } = await database.open(watched(log));
      await store.write((tx) => tx.change(addVersion, { version: 7 }));
      assert.equal(log.at(-1), 'commit');
      assert.notEqual(await store.read.first(findVersion, { version: 7 }), undefined);
      await close();
    });

    it('undoes an operation that throws and keeps the others of its group', async () => {
      const { store, close } = await database.open();
      const add = (version: number) => store.write((tx) => tx.change(addVersion, { version }));
      const broken = store.write(async (tx: Tx) => {
        await tx.change(addVersion, { version: 20 });
        throw new Error('a defect');
      });
      const [before, thrown, after] = await Promise.allSettled([add(10), broken, add(30)]);
      assert.equal(before.status, 'fulfilled');
      assert.equal(after.status, 'fulfilled');
      assert.equal(thrown.status, 'rejected');
      assert.match(String(thrown.reason), /a defect/);
      assert.notEqual(await store.read.first(findVersion, { version: 10 }), undefined);
      assert.equal(await store.read.first(findVersion, { version: 20 }), undefined);
      assert.notEqual(await store.read.first(findVersion, { version: 30 }), undefined);
      await close();
    });

    it('commits what an operation sent without waiting for the answer', async () => {
      const log: string[] = [];
      const { store, close } = await database.open(watched(log));
      const send = (version: number) => store.write(sending(version));
      await Promise.all([send(90), send(91)]);
      assert.equal(log.at(-1), 'commit');
      for (const version of [90, 91])
        assert.notEqual(await store.read.first(findVersion, { version }), undefined);
      await close();
    });

    it('undoes an operation that sent what the database refuses, and keeps the others of its group', async () => {
      const { store, close } = await database.open();
      const refused = store.write(async (tx) => {
        await tx.change(addVersion, { version: 94 });
        return sending(Number.NaN)(tx);
      });
      const all = [store.write(sending(93)), refused, store.write(sending(95))];
      const endings = (await Promise.allSettled(all)).map(({ status }) => status);
      assert.deepEqual(endings, ['fulfilled', 'rejected', 'fulfilled']);
      assert.notEqual(await store.read.first(findVersion, { version: 93 }), undefined);
      assert.equal(await store.read.first(findVersion, { version: 94 }), undefined);
      assert.notEqual(await store.read.first(findVersion, { version: 95 }), undefined);
      await close();
    });

    it('commits nothing of an operation that sent what cannot even be written to the connection', async () => {
      const { store, close } = await database.open();
      const broken = store.write(async (tx) => {
        await tx.change(addVersion, { version: 94 });
        return sending(unsendable())(tx);
      });
      await assert.rejects(broken);
      assert.equal(await store.read.first(findVersion, { version: 94 }), undefined);
      await close();
    });

    it('refuses the whole group where the store fails at what was sent, and commits nothing of it', async () => {
      let failing = false;
      const fail = (sql: string) =>
        failing && sql.startsWith('insert') ? new StoreUnavailableError('full') : undefined;
      const { store, close } = await database.open(watched([], fail));
      await store.write(sending(96));
      failing = true;
      const moved = store.write(async (tx) => {
        await tx.change(dropVersion, { version: 96 });
        return sending(97)(tx);
      });
      await assert.rejects(moved, StoreUnavailableError);
      failing = false;
      assert.notEqual(await store.read.first(findVersion, { version: 96 }), undefined);
      await close();
    });

    it('runs nothing of an operation after its transaction', async () => {
      const { store, close } = await database.open();
      const refused: unknown[] = [];
      const adding: BatchWork<number, number> = {
        most: 10,
        run: (tx, versions) =>
          Promise.all(versions.map((version) => tx.change(addVersion, { version }))).catch(
            (error: unknown) => {
              refused.push(error);
              throw error;
            },
          ),
      };
      const careless = store.write((tx) => {
        tx.batch(adding, '', 35).catch(() => undefined);
        return Promise.reject(new Error('a defect'));
      });
      await assert.rejects(careless, /a defect/);
      assert.equal(await store.write((tx) => tx.batch(adding, '', 36)), 1);
      assert.equal(await store.read.first(findVersion, { version: 35 }), undefined);
      assert.match(String(refused[0]), /after the end of its transaction/);
      await close();
    });

    it('an operation refused by the schema disturbs no other', async () => {
      const { store, close } = await database.open();
      const bad = store.write((tx) => tx.change(addVersion, { version: Number.NaN }));
      const good = store.write((tx) => tx.change(addVersion, { version: 40 }));
      await assert.rejects(bad);
      assert.equal(await good, 1);
      await close();
    });

    for (const step of ['begin', 'insert', 'commit']) {
      it(`refuses the whole group where the store fails at ${step}, and recovers when it works again`, async () => {
        let failing = false;
        const fail = (sql: string) =>
          failing && sql.startsWith(step) ? new StoreUnavailableError('full') : undefined;
        const { store, close } = await database.open(watched([], fail));
        failing = true;
        const answers = await Promise.allSettled(
          [51, 52].map((version) => store.write((tx) => tx.change(addVersion, { version }))),
        );
        for (const answer of answers) {
          assert.ok(answer.status === 'rejected' && answer.reason instanceof StoreUnavailableError);
        }
        failing = false;
        assert.equal(await store.write((tx) => tx.change(addVersion, { version: 53 })), 1);
        assert.equal(await store.read.first(findVersion, { version: 51 }), undefined);
        await close();
      });
    }

    it('recovers even where undoing failed too', async () => {
      let failing = false;
      const fail = (sql: string) =>
        failing && (sql === 'commit' || sql === 'rollback')
          ? new StoreUnavailableError('failing')
          : undefined;
      const { store, close } = await database.open(watched([], fail));
      failing = true;
      await assert.rejects(
        store.write((tx) => tx.change(addVersion, { version: 61 })),
        StoreUnavailableError,
      );
      failing = false;
      assert.equal(await store.write((tx) => tx.change(addVersion, { version: 62 })), 1);
      assert.equal(await store.read.first(findVersion, { version: 61 }), undefined);
      await close();
    });

    it('refuses what comes after it was closed, and commits what came before', async () => {
      const { store, close } = await database.open();
      const before = store.write((tx) => tx.change(addVersion, { version: 70 }));
      const closing = store.close();
      await assert.rejects(
        store.write((tx) => tx.change(addVersion, { version: 71 })),
        StoreUnavailableError,
      );
      assert.equal(await before, 1);
      await closing;
      await close();
    });

    it('refuses what would make the queue longer than its limit', async () => {
      const { store, close } = await database.open();
      const many = Array.from({ length: 20_050 }, (_, n) =>
        store.write((tx) => tx.change(addVersion, { version: 1_000 + n })),
      );
      const answers = await Promise.allSettled(many);
      assert.equal(answers.filter((answer) => answer.status === 'rejected').length, 50);
      await close();
    });
  });
}

describe('a database that commits a transaction only as a whole', () => {
  it('is sent the commit before it has answered what nobody waits for', async () => {
    const log: string[] = [];
    const { store, close } = await postgresql.open({
      wrap: <Line extends Connection>(connection: Line): Line => ({
        ...connection,
        execute: async (sql, values) => {
          const word = sql.split(' ', 1)[0] ?? '';
          log.push(`${word} sent`);
          const answer = await connection.execute(sql, values);
          log.push(`${word} answered`);
          return answer;
        },
      }),
    });
    await store.write(sending(98));
    log.length = 0;
    await store.write(sending(99));
    assert.deepEqual(
      log.filter((line) => /^(?:insert|commit)/.test(line)),
      ['insert sent', 'commit sent', 'insert answered', 'commit answered'],
    );
    await close();
  });
});

describe('group commit beside another process', () => {
  it('waits for its lock without standing still', async () => {
    const [sqlite] = databases;
    assert.ok(sqlite);
    const { store, dataDir, close } = await sqlite.open();
    const other = new DatabaseSync(join(dataDir, 'mailproof.db'));
    other.exec('begin immediate');
    let ended = false;
    const written = store.write((tx) => tx.change(addVersion, { version: 80 })).finally(() => (ended = true));
    for (let rounds = 0; rounds < 20; rounds += 1) await sleep(2);
    assert.equal(ended, false);
    other.exec('rollback');
    assert.equal(await written, 1);
    other.close();
    await close();
  });
});
