import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Engine, Outcome } from '@mailproof/engine';
import { createTestClock } from '../../../engine/test/support/test-clock.ts';
import { readBalance } from '../../src/core/ledger/read-balance.ts';
import type { Caller } from '../../src/core/keys/authenticate.ts';
import { audit } from '../../src/start/whole-store.ts';
import { createWholeSweep } from '../../src/start/whole-store.ts';
import { createGivenUp } from '../../src/core/verify/given-up.ts';
import { createSlots } from '../../src/core/verify/slots.ts';
import { verifyOne, type VerifyOneParts, type VerifyOneRequest } from '../../src/core/verify/verify-one.ts';
import { addressOf } from './address-of.ts';
import type { TestDatabase } from './databases.ts';
import { openAccount } from './open-account.ts';
import { safe, unknown } from './outcomes.ts';

/** Whom the requests of this fixture ask for. */
export const email = 'someone@example.com';

export const withKey = (key: string, bodyHash = 'body') => ({ idempotency: { key, bodyHash } });

/** An account with credits, and single verifications on it; time stands still, and the engine says what it is told. */
export async function openVerifyOneFixture(database: TestDatabase, credits = 10) {
  const { store, close } = await database.open();
  const time = createTestClock();
  const { wallClock } = time;
  const { accountId, live, test } = await openAccount({ store, wallClock }, credits);
  const registry = await store.joinRegistry();
  const asked: string[] = [];
  const answering = (answer: (asked: string) => Outcome | Promise<Outcome>): Pick<Engine, 'verify'> => ({
    verify: async (address) => (asked.push(address), answer(address)),
  });
  const problems: unknown[] = [];
  const givenUp = createGivenUp({ clock: time, onProblem: (...problem) => void problems.push(problem) });
  const parts: VerifyOneParts = {
    store,
    endStore: store,
    engine: answering(safe),
    recall: () => undefined,
    sandbox: answering(unknown),
    slots: createSlots({ clock: time, limits: { total: 1_000, perAccount: 1_000, bulk: 1_000 } }),
    clock: time,
    wallClock,
    processId: registry.ownId,
    givenUp,
    singleTimeoutMs: 30_000,
  };
  const ask = (caller: Caller, more: Partial<VerifyOneRequest> = {}, other: Partial<VerifyOneParts> = {}) =>
    verifyOne(
      {
        requestId: randomUUID(),
        caller,
        address: addressOf(email),
        idempotency: undefined,
        explain: false,
        signal: new AbortController().signal,
        ...more,
      },
      { ...parts, endStore: other.store ?? store, ...other },
    );
  const balance = async () => {
    const found = await readBalance(store.read, accountId);
    assert.ok(found !== undefined);
    return [found.available, found.reserved, found.spent];
  };
  const sweep = createWholeSweep({ store, registry, wallClock, taskRetentionMs: 1_000 });
  const finish = async () => {
    assert.deepEqual([problems, (await audit({ store })).violations], [[], []]);
    await givenUp.stop();
    await registry.leave();
    await close();
  };
  return { store, time, accountId, live, test, asked, answering, parts, ask, balance, sweep, finish };
}
