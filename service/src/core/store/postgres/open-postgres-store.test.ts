import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createAccount } from '../../keys/accounts/create-account.ts';
import { readBalance } from '../../ledger/read-balance.ts';
import {
  isUnavailable,
  openAccount,
  openBehindProxy,
  openConnection,
  patience,
  recovered,
  take,
} from '../../../../test/support/postgres/store-behind-proxy.ts';
import { createPostgresDatabase } from '../../../../test/support/postgres/test-postgres.ts';
import { statement, type Tx } from '../statement.ts';
import { StoreOpenError } from '../store-open-error.ts';
import { openPostgresStore } from './open-postgres-store.ts';

const anyAccount = statement((db) => db.selectFrom('account').select('id').limit(1));
const countAccounts = statement((db) =>
  db.selectFrom('account').select((eb) => eb.fn.countAll<number>().as('accounts')),
);
const howItCommits = statement<Record<string, never>, { waits: string }>((db) => ({
  compile: () => sql<{ waits: string }>`select current_setting('synchronous_commit') as waits`.compile(db),
}));
const wait = statement((db, arg: { account: string }) =>
  db.updateTable('account').set({ touched_at: 1 }).where('id', '=', arg.account),
);
const touchedAt = statement((db, arg: { account: string }) =>
  db.selectFrom('account').select('touched_at').where('id', '=', arg.account),
);
const sleepFor = statement<{ seconds: number }, unknown>((db, arg) => ({
  compile: () => sql`select pg_sleep(${arg.seconds})`.compile(db),
}));

describe('PostgreSQL that fails', () => {
  it('a connection that is cut is replaced, and reads do not notice', async (t) => {
    const { store, proxy } = await openBehindProxy(t);
    const accountId = await openAccount(store, 10);
    for (let round = 0; round < 5; round += 1) {
      proxy.cut();
      assert.equal((await store.read.first(anyAccount, {}))?.id, accountId);
      await recovered(() => take(store, accountId));
    }
    assert.equal((await readBalance(store.read, accountId))?.reserved, 5);
  });

  it('a database that is gone is refused at once, and used again when it is back', async (t) => {
    const { store, proxy, connections } = await openBehindProxy(t);
    const accountId = await openAccount(store, 10);
    proxy.refuse();
    await assert.rejects(store.read.first(anyAccount, {}), isUnavailable);
    const opened = connections.length;
    const answers = await Promise.allSettled([
      ...Array.from({ length: 100 }, () => take(store, accountId)),
      ...Array.from({ length: 100 }, () => store.read.first(anyAccount, {})),
      store.snapshot((reader) => reader.first(anyAccount, {})),
      store.check(0),
    ]);
    for (const answer of answers) assert.ok(answer.status === 'rejected' && isUnavailable(answer.reason));
    assert.equal(connections.length, opened, 'nobody waited for a connection');
    proxy.accept();
    await recovered(() => take(store, accountId));
    await store.check(0);
    assert.equal((await readBalance(store.read, accountId))?.reserved, 1);
  });

  it('a database that falls silent counts as gone, and what waits for it is told', async (t) => {
    const { store, proxy } = await openBehindProxy(t, { silenceMs: 400, connectMs: 400 });
    const accountId = await openAccount(store, 10);
    proxy.freeze();
    await assert.rejects(take(store, accountId), isUnavailable);
    await assert.rejects(store.read.first(anyAccount, {}), isUnavailable);
    proxy.thaw();
    await recovered(() => take(store, accountId));
    const { reserved } = (await readBalance(store.read, accountId))!;
    assert.ok(reserved === 1 || reserved === 2, 'the first may have been committed, once');
  });

  it('a lock that another holds too long is refused, and the connection goes on', async (t) => {
    const { store, database } = await openBehindProxy(t, { lockMs: 100 });
    const accountId = await openAccount(store, 10);
    const connection = await openConnection(database.url);
    await connection.execute('begin read write', []);
    await connection.execute(`update account set touched_at = 5`, []);
    await assert.rejects(take(store, accountId), (error) => isUnavailable(error, 'busy'));
    await connection.execute('rollback', []);
    assert.equal((await take(store, accountId)).kind, 'reserved');
    await connection.close();
  });

  it('two transactions that lock each other out are both done', async (t) => {
    const { store } = await openBehindProxy(t);
    const [one, two] = [await openAccount(store, 1), await openAccount(store, 1)];
    // With different keys, each wants what the other has.
    let met = 0;
    const meeting = Promise.withResolvers<undefined>();
    const both = (first: string, second: string, serialKey: string) =>
      store.write(async (tx) => {
        await tx.change(wait, { account: first });
        // Only the first time: one of the two is undone and runs again. Where it is back before the other was woken, it has
        // the row first, and they lock each other out once more.
        if ((met += 1) === 2) meeting.resolve(undefined);
        await meeting.promise;
        await tx.change(wait, { account: second });
      }, serialKey);
    await Promise.all([both(one, two, 'a'), both(two, one, 'b')]);
    assert.ok(met > 2, 'none was undone, so they did not lock each other out');
  });
});

describe('operations with the same serial key', () => {
  it('1,000 reservations over three stores on 100 credits: exactly 100', async (t) => {
    const { store, database } = await openBehindProxy(t);
    const others = await Promise.all(
      [1, 2].map(() => openPostgresStore({ databaseUrl: database.url }, { limits: patience })),
    );
    const accountId = await openAccount(store, 100);
    const stores = [store, ...others];
    const answers = await Promise.all(Array.from({ length: 999 }, (_, n) => take(stores[n % 3]!, accountId)));
    assert.equal(answers.filter(({ kind }) => kind === 'reserved').length, 100);
    for (const other of others) await other.close();
  });

  it('only what is done again if it is lost does not wait for the disk, and no other shares its commit', async (t) => {
    const { store } = await openBehindProxy(t);
    const look = (tx: Tx) => tx.first(howItCommits, {});
    const seen = await Promise.all([
      store.writeRepeatable(look, 'same key'),
      store.write(look, 'same key'),
      store.writeRepeatable(look, 'same key'),
      store.write(look),
      store.writeBriefly(look, 'same key'),
    ]);
    assert.deepEqual(
      seen.map((row) => row?.waits),
      ['off', 'on', 'off', 'on', 'off'],
    );
  });

  it('what is brief is undone by the server once a statement takes long, and its connection goes on', async (t) => {
    const { store, connections } = await openBehindProxy(t, { briefStatementMs: 500 });
    const accountId = await openAccount(store, 1);
    const tooLong = store.writeBriefly(async (tx) => {
      await tx.change(wait, { account: accountId });
      await tx.first(sleepFor, { seconds: 10 });
    }, 'same key');
    await assert.rejects(tooLong, (error) => isUnavailable(error, 'slow'));
    const opened = connections.length;
    const { touched_at } = (await store.read.first(touchedAt, { account: accountId }))!;
    assert.notEqual(touched_at, 1, 'nothing of it is left');
    await store.writeBriefly((tx) => tx.change(wait, { account: accountId }), 'same key');
    assert.equal((await store.read.first(touchedAt, { account: accountId }))?.touched_at, 1);
    assert.equal(connections.length, opened);
  });

  it('what is brief sends no statement when its time is over, but commits what it has done', async (t) => {
    const briefStatementMs = 500;
    const { store } = await openBehindProxy(t, { briefStatementMs });
    const accountId = await openAccount(store, 1);
    const dawdle = (another: boolean) =>
      store.writeBriefly(async (tx) => {
        await tx.change(wait, { account: accountId });
        await sleep(2 * briefStatementMs);
        if (another) await tx.change(wait, { account: accountId });
      }, 'same key');
    await assert.rejects(dawdle(true), (error) => isUnavailable(error, 'slow'));
    assert.notEqual((await store.read.first(touchedAt, { account: accountId }))?.touched_at, 1);
    await dawdle(false);
    assert.equal((await store.read.first(touchedAt, { account: accountId }))?.touched_at, 1);
  });

  it('what is brief has its time from when it has its key, however long it waits for it', async (t) => {
    const briefStatementMs = 500;
    const { store, database } = await openBehindProxy(t, { briefStatementMs });
    const accountId = await openAccount(store, 1);
    const other = await openPostgresStore({ databaseUrl: database.url }, { limits: patience });
    const isHeld = Promise.withResolvers<undefined>();
    const holding = other.write(async (tx) => {
      await tx.first(countAccounts, {});
      isHeld.resolve(undefined);
      await sleep(3 * briefStatementMs);
    }, 'same key');
    await isHeld.promise;
    await store.writeBriefly((tx) => tx.change(wait, { account: accountId }), 'same key');
    await holding;
    assert.equal((await store.read.first(touchedAt, { account: accountId }))?.touched_at, 1);
    await other.close();
  });

  it('an operation outside a transaction writes nothing', async (t) => {
    const { database } = await openBehindProxy(t);
    const connection = await openConnection(database.url);
    await assert.rejects(connection.execute(`delete from account`, []), (error) =>
      isUnavailable(error, 'not_writable'),
    );
    await connection.close();
  });

  it('a snapshot sees one moment', async (t) => {
    const { store } = await openBehindProxy(t);
    await store.snapshot(async (reader) => {
      const before = await reader.first(countAccounts, {});
      await openAccount(store, 1);
      assert.deepEqual(await reader.first(countAccounts, {}), before);
    });
    assert.equal((await store.read.first(countAccounts, {}))?.accounts, 1);
  });

  it('a name with U+0000 is kept without it', async (t) => {
    const { store } = await openBehindProxy(t);
    const parts = { store, wallClock: Date, actor: 'command_line' as const };
    await createAccount({ name: 'a\0b', plan: 'paid', credits: 0 }, parts);
    const name = statement((db) => db.selectFrom('account').select('name'));
    assert.equal((await store.read.first(name, {}))?.name, 'a\uFFFDb');
  });
});

describe('the clock of the database', () => {
  it('is followed within the time of an answer, and never goes back', async (t) => {
    const { store } = await openBehindProxy(t);
    const clock = store.clock!;
    const times = Array.from({ length: 1_000 }, () => clock.now());
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.ok(Math.abs(clock.now() - Date.now()) < 5_000, 'the server of the tests runs on this machine');
  });
});

describe('notices', () => {
  it('reach every store that listens, and are made up for when the connection was lost', async (t) => {
    const { store, proxy, database } = await openBehindProxy(t);
    const other = await openPostgresStore({ databaseUrl: database.url }, { limits: patience });
    let heard = Promise.withResolvers<undefined>();
    const stop = store.listen('tasks', () => heard.resolve(undefined));
    await heard.promise;
    heard = Promise.withResolvers();
    // Until the server has heard that we listen, which nobody is told.
    const saying = setInterval(() => other.notify('tasks'), 50);
    await heard.promise;
    clearInterval(saying);
    heard = Promise.withResolvers();
    proxy.cut();
    await heard.promise;
    stop();
    await other.close();
  });
});

describe('processes', () => {
  const limits = { judgeAfterMs: 0, heartbeatMs: 100, missingMs: 1_000, silentProcessMs: 600_000 };

  it('one whose connection is gone without leaving is found dead, one that lives or left is not', async (t) => {
    const { store, database } = await openBehindProxy(t, limits);
    const [living, dying, leaving] = await Promise.all(
      [1, 2, 3].map(() =>
        openPostgresStore({ databaseUrl: database.url }, { limits: { ...patience, ...limits } }),
      ),
    );
    const here = await store.joinRegistry('api');
    const alive = await living!.joinRegistry('worker');
    const gone = await leaving!.joinRegistry('worker');
    const dead = await dying!.joinRegistry('worker');
    assert.deepEqual((await here.findLiving()).map(({ role }) => role).sort(), [
      'api',
      'worker',
      'worker',
      'worker',
    ]);
    await gone.leave();
    // Closing the store ends its connections and its writing, but does not leave.
    await dying!.close();
    let found: string[] = [];
    for (let triesLeft = 600; found.length === 0 && triesLeft > 0; triesLeft -= 1) {
      await sleep(50);
      found = await here.findDead();
    }
    assert.deepEqual(found, [dead.ownId]);
    await here.remove(dead.ownId);
    assert.deepEqual((await here.findLiving()).map(({ id }) => id).sort(), [here.ownId, alive.ownId].sort());
    await living!.close();
    await leaving!.close();
  });

  it('nobody is judged by one that has just come back itself', async (t) => {
    const { store, database } = await openBehindProxy(t, { ...limits, judgeAfterMs: 3_600_000 });
    await database.execute(`insert into process values ('0123456', 'all', 0, 0)`);
    assert.deepEqual(await (await store.joinRegistry()).findDead(), []);
  });
});

describe('what keeps PostgreSQL from being opened is one line without the password', () => {
  const lineOf = async (url: string): Promise<string> => {
    const error: unknown = await openPostgresStore({ databaseUrl: url }, { limits: patience }).then(
      (store) => store.close(),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof StoreOpenError, String(error));
    assert.doesNotMatch(error.line, /hunter2|\n/);
    return error.line;
  };
  const withUser = (url: string, change: (url: URL) => void) => {
    const changed = new URL(url);
    changed.password = 'hunter2';
    change(changed);
    return changed.href;
  };

  it('nobody there, no such database, no such user, too new a schema, no right to make tables', async (t) => {
    const database = await createPostgresDatabase('empty');
    const { url } = database;
    t.after(async () => {
      await database.execute(`drop owned by ${roleOf(url)}; drop role ${roleOf(url)}`);
      await database.giveBack();
    });
    assert.match(await lineOf(withUser(url, (u) => (u.port = '1'))), /cannot be reached .*ECONNREFUSED/);
    assert.match(await lineOf(withUser(url, (u) => (u.pathname = '/nowhere'))), /does not exist/);
    assert.match(await lineOf(withUser(url, (u) => (u.username = 'nobody'))), /refuses this user/);
    await database.execute(
      `create role ${roleOf(url)} login; grant connect on database ${nameOf(url)} to ${roleOf(url)}`,
    );
    assert.match(await lineOf(withUser(url, (u) => (u.username = roleOf(url)))), /mailproof migrate/);
    await (await openPostgresStore({ databaseUrl: url }, { limits: patience })).close();
    await database.execute('update schema_version set version = 99, serves = 99');
    assert.match(await lineOf(url), /newer version of Mailproof \(schema 99, this one knows \d+\)/);
    await database.execute('update schema_version set version = 99, serves = 5');
    await (await openPostgresStore({ databaseUrl: url }, { limits: patience })).close();
  });

  it('a pooler that leads two connections to one session', async (t) => {
    const database = await createPostgresDatabase('migrated');
    const session = await openConnection(database.url);
    t.after(async () => {
      await session.close();
      await database.giveBack();
    });
    const connect = () => Promise.resolve({ ...session, close: () => Promise.resolve() });
    await assert.rejects(openPostgresStore({ databaseUrl: database.url }, { connect }), (error) => {
      assert.ok(error instanceof StoreOpenError);
      assert.match(error.line, /transaction pooling.*pool sessions/);
      return true;
    });
  });

  it('several processes that open an empty database at once make one schema', async (t) => {
    const database = await createPostgresDatabase('empty');
    t.after(() => database.giveBack());
    const stores = await Promise.all(
      [1, 2, 3, 4].map(() => openPostgresStore({ databaseUrl: database.url }, { limits: patience })),
    );
    assert.equal((await stores[0]!.read.all(anyAccount, {})).length, 0);
    for (const store of stores) await store.close();
  });
});

const nameOf = (url: string) => new URL(url).pathname.slice(1);
const roleOf = (url: string) => `role_${nameOf(url)}`;
