import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { createAccount } from '../../src/core/keys/accounts/create-account.ts';
import { grantCredits } from '../../src/core/ledger/grant-credits.ts';
import { readBalance } from '../../src/core/ledger/read-balance.ts';
import type { ProcessRegistry } from '../../src/core/store/process-registry.ts';
import { StoreUnavailableError } from '../../src/core/store/store-unavailable-error.ts';
import type { Caller } from '../../src/core/keys/authenticate.ts';
import { claimAny } from '../support/claim-any.ts';
import { createTask } from '../../src/core/verify/tasks/create-task.ts';
import { runTask } from '../../src/core/verify/tasks/run-task.ts';
import { addressOf } from '../support/address-of.ts';
import { audit } from '../../src/start/whole-store.ts';
import { createWholeSweep } from '../../src/start/whole-store.ts';
import { createSlots } from '../../src/core/verify/slots.ts';
import { createGivenUp } from '../../src/core/verify/given-up.ts';
import { verifyOne } from '../../src/core/verify/verify-one.ts';
import type { TestDatabase, TestStore } from '../support/databases.ts';
import { createTestClock, type TestClock } from '../../../engine/test/support/test-clock.ts';
import { deferred, safe, unknown } from '../support/outcomes.ts';

/** Fails the k-th statement that follows: before it is run, or after, when what it did is done all the same. */
type Trap = { left: number; when: 'before' | 'after'; sprung: boolean };

function trapped(trap: Trap): Parameters<TestDatabase['open']>[0] {
  return {
    wrap: (connection) => ({
      ...connection,
      execute: async (sql, values) => {
        const hit = (trap.left -= 1) === 0;
        if (hit) trap.sprung = true;
        if (hit && trap.when === 'before') throw new StoreUnavailableError('failing');
        const result = await connection.execute(sql, values);
        if (hit) throw new StoreUnavailableError('failing');
        return result;
      },
    }),
  };
}

const retentionMs = 86_400_000;

type Opened = Pick<TestStore, 'store'> & { registry: ProcessRegistry };

/** A day in the life of an account: singles of every kind, two tasks, a deferral, sweeps. A step that fails is left at that. */
async function mixedScript({ store, registry }: Opened, time: TestClock, caller: Caller): Promise<void> {
  const { wallClock } = time;
  const slots = createSlots({ clock: time, limits: { total: 10, perAccount: 10, bulk: 10 } });
  const engine = {
    verify: (email: string) =>
      Promise.resolve(
        email.startsWith('u') ? unknown(email) : email.startsWith('d') ? deferred(email) : safe(email),
      ),
  };
  const parts = { store, engine, sandbox: engine, slots, clock: time, wallClock, onProblem: () => undefined };
  const single = (email: string, key?: string) => {
    const known = safe(email);
    return verifyOne(
      {
        requestId: randomUUID(),
        caller,
        address: addressOf(email),
        idempotency: key === undefined ? undefined : { key, bodyHash: email },
        explain: false,
        signal: new AbortController().signal,
      },
      {
        ...parts,
        recall: () => (known.kind === 'verdict' && email.startsWith('k') ? known : undefined),
        processId: registry.ownId,
        endStore: store,
        givenUp: createGivenUp(parts),
        singleTimeoutMs: 1_000,
      },
    );
  };
  const task = (emails: string[], key?: string) =>
    createTask(
      {
        caller,
        emails,
        name: undefined,
        requestId: randomUUID(),
        idempotency: key === undefined ? undefined : { key, bodyHash: 'x' },
      },
      { store, wallClock, taskDeadlineMs: 60_000, taskRetentionMs: retentionMs, wake: () => undefined },
    );
  const work = async () => {
    const claim = await store.write((tx) =>
      claimAny(tx, { processId: registry.ownId, now: wallClock.now() }),
    );
    if (claim === undefined) return;
    const never = new AbortController().signal;
    const more = { itemTimeoutMs: 1_000, deferRetryMs: 1_000, taskRetentionMs: retentionMs };
    await runTask(claim, { ...parts, ...more }, { draining: never, cut: never });
  };
  const sweep = createWholeSweep({ store, registry, wallClock, taskRetentionMs: retentionMs });
  const steps = [
    () => grantCredits({ accountId: caller.accountId, credits: 5 }, { ...parts, actor: 'operator' }),
    () => single('s@example.com'),
    () => single('s@example.com', 'key'),
    () => single('s@example.com', 'key'),
    () => task(['a@example.com', 'A@example.com', 'nonsense', 'u@example.com', 'd@example.com'], 'task key'),
    () => task(['b@example.com'], 'task key'),
    () => Promise.all([single('u@example.com'), single('t@example.com'), task(['c@example.com'])]),
    () =>
      Promise.all([single('k1@example.com'), single('k2@example.com'), single('k3@example.com', 'known')]),
    work,
    work,
    sweep,
  ];
  for (const step of steps) await step().catch(onlyTheStore);
  time.advance(2_000);
  await work().catch(onlyTheStore);
}

function onlyTheStore(error: unknown): void {
  if (!(error instanceof StoreUnavailableError)) throw error;
}

/** Each statement of a script that does a little of everything fails once, before it is run and after. */
export function describeFailingStore(database: TestDatabase): void {
  for (const when of ['before', 'after'] as const) {
    void describe(`a store that fails ${when} one statement on ${database.name}`, () => {
      void it('leaves the books balanced whichever statement it is, and nothing held once time has passed', async () => {
        const trap: Trap = { left: Infinity, when, sprung: false };
        const testStore = await database.open(trapped(trap));
        const time = createTestClock();
        const { store } = testStore;
        const parts = { store, wallClock: time.wallClock, actor: 'operator' as const };
        const registry = await store.joinRegistry();
        const sweep = createWholeSweep({ ...parts, registry, taskRetentionMs: retentionMs });
        let k = 1;
        for (; k === 1 || trap.sprung; k += 1) {
          const since = time.wallClock.now();
          const { accountId } = await createAccount({ name: 'x', plan: 'paid', credits: 20 }, parts);
          Object.assign(trap, { left: k, sprung: false });
          await mixedScript({ store, registry }, time, { accountId, keyId: 'k', mode: 'live', plan: 'paid' });
          trap.left = Infinity;
          assert.deepEqual((await audit(parts, { since })).violations, [], `statement ${k}`);
          time.advance(60_000);
          await sweep();
          assert.deepEqual((await audit(parts, { since })).violations, [], `statement ${k}, swept`);
          assert.equal((await readBalance(store.read, accountId))?.reserved, 0, `statement ${k}`);
          time.advance(1);
        }
        assert.ok(k > 100, `the script has only ${k} statements`);
        await registry.leave();
        await testStore.close();
      });
    });
  }
}
