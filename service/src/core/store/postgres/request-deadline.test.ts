import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBalance } from '../../ledger/read-balance.ts';
import {
  isUnavailable,
  openAccount,
  openBehindProxy,
  openConnection,
  recovered,
  take,
} from '../../../../test/support/postgres/store-behind-proxy.ts';
import { statement } from '../statement.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import type { Store } from '../store.ts';

const anyAccount = statement((db) => db.selectFrom('account').select('id').limit(1));
const anyTask = statement((db) => db.selectFrom('task').select('id').limit(1));

/** As a request does. */
function takeInTime(store: Store, accountId: string) {
  return take(store.withRequestDeadline('work'), accountId);
}

const faultOf = (error: unknown) => error instanceof StoreUnavailableError && error.fault;

describe('PostgreSQL that makes a request wait', () => {
  /** Somebody else's lock on a table or a row, until it is let go. */
  async function hold(url: string, sql: string): Promise<() => Promise<void>> {
    const connection = await openConnection(url);
    await connection.execute('begin read write', []);
    await connection.execute(sql, []);
    return async () => {
      await connection.execute('rollback', []);
      await connection.close();
    };
  }

  it('is refused, what waits behind it too, and not committed when the lock is gone', async (t) => {
    const { store, database } = await openBehindProxy(t, { requestMs: 1_200, requestLockMs: 10_000 });
    const accountId = await openAccount(store, 10);
    const letGo = await hold(database.url, 'update account set touched_at = 5');
    const asked = performance.now();
    const answers = await Promise.allSettled([
      takeInTime(store, accountId),
      sleep(50).then(() => takeInTime(store, accountId)),
    ]);
    for (const answer of answers)
      assert.ok(answer.status === 'rejected' && isUnavailable(answer.reason, 'slow'));
    assert.ok(performance.now() - asked < 10_000, 'the lock was not waited for');
    await letGo();
    assert.equal((await takeInTime(store, accountId)).kind, 'reserved');
    assert.equal((await readBalance(store.read, accountId))?.reserved, 1);
  });

  it('an account that waits for a lock keeps no other account waiting', async (t) => {
    const { store, database } = await openBehindProxy(t, { requestMs: 60_000, requestLockMs: 50_000 });
    const [locked, free] = [await openAccount(store, 10), await openAccount(store, 10)];
    const letGo = await hold(database.url, `update account set touched_at = 5 where id = '${locked}'`);
    const waiting = takeInTime(store, locked);
    assert.equal((await takeInTime(store, free)).kind, 'reserved');
    await letGo();
    assert.equal((await waiting).kind, 'reserved');
  });

  it('the work of the service waits where a request is refused', async (t) => {
    const { store, database } = await openBehindProxy(t, { requestMs: 60_000, requestLockMs: 50 });
    const accountId = await openAccount(store, 10);
    const letGo = await hold(database.url, `update account set touched_at = 5 where id = '${accountId}'`);
    const patient = take(store, accountId);
    await assert.rejects(takeInTime(store, accountId), (error) => isUnavailable(error, 'busy'));
    await letGo();
    assert.equal((await patient).kind, 'reserved');
  });

  it('a commit that is confirmed too late may have happened, and only then is this said', async (t) => {
    const { store, commits } = await openBehindProxy(t, { requestMs: 2_000 });
    const accountId = await openAccount(store, 10);
    const letGo = commits.holdBack();
    const first = takeInTime(store, accountId);
    await commits.sent();
    const answers = await Promise.allSettled([first, takeInTime(store, accountId)]);
    assert.deepEqual(
      answers.map((answer) => answer.status === 'rejected' && faultOf(answer.reason)),
      ['unconfirmed', 'slow'],
    );
    letGo();
    assert.equal((await readBalance(store.read, accountId))?.reserved, 1);
  });

  it('a read that waits for a lock keeps no other read waiting', async (t) => {
    const { store, database } = await openBehindProxy(t, {
      requestMs: 60_000,
      requestKeyMs: 60_000,
      requestLockMs: 50_000,
      heldUpMs: 50,
    });
    const { read } = store.withRequestDeadline('key');
    await read.first(anyTask, {});
    const letGo = await hold(database.url, 'lock table account in access exclusive mode');
    const stuck = read.first(anyAccount, {});
    // Long enough for its connection to count as held up; the next reads go to another.
    await sleep(100);
    for (let round = 0; round < 5; round += 1) await read.first(anyTask, {});
    await letGo();
    await stuck;
  });

  it('a read that was given up is not sent later', async (t) => {
    const limits = {
      requestMs: 400,
      requestLockMs: 30_000,
      commitMs: -30_000,
      readConnections: 1,
      heldUpMs: 50,
    };
    const { store, database, connections } = await openBehindProxy(t, limits);
    await store.withRequestDeadline('work').read.first(anyTask, {});
    const letGo = await hold(database.url, 'lock table account in access exclusive mode');
    await assert.rejects(store.withRequestDeadline('work').read.first(anyAccount, {}), (error) =>
      isUnavailable(error, 'slow'),
    );
    const given = Array.from({ length: 20 }, () => store.withRequestDeadline('work').read.first(anyTask, {}));
    for (const answer of await Promise.allSettled(given)) assert.equal(answer.status, 'rejected');
    assert.equal(
      Math.max(
        ...connections
          .filter((connection) => connection.isAlive())
          .map((connection) => connection.unanswered()),
      ),
      1,
    );
    await letGo();
    await recovered(() => store.withRequestDeadline('work').read.first(anyTask, {}));
  });
});
