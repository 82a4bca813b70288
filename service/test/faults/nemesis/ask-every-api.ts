import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answered, bulkPath, type Call, singlePath } from '../../support/api-client.ts';
import { watchLateness } from '../../../../engine/test/support/machine.ts';
import { until } from '../../support/until.ts';
import type { Installation } from './open-installation.ts';

/** Sends every call to every API of an installation, again and again, during any trouble of its database. */
export type AskEveryApi = {
  /**
   * While the database fails: calls in `refused` get 503 and a time to retry, the others a true answer; all within
   * a second.
   */
  throughTrouble(t: TestContext, refused: readonly CallName[]): Promise<Asked[]>;
  /** Waits until every API serves every call, and returns how long that took. */
  untilServed(): Promise<number>;
  /** Waits for the same after the database is back, which must be soon. */
  untilServedSoon(t: TestContext): Promise<void>;
};

export type CallName = 'single' | 'bulk' | 'poll' | 'account' | 'tasks' | 'operator';
type Asked = { name: CallName; answer: Answered; ms: number };

/** The token that the installation must have for the operator's pages. */
export const adminToken = 'the-operator-of-the-nemesis-0123456789';

const answersWithinMs = 1_000;
const recoversWithinMs = 5_000;

/** Creates the calls; every process of the installation must be up. */
export async function createAskEveryApi(installation: Installation): Promise<AskEveryApi> {
  const key = (await installation.openAccount({ name: 'patient', credits: 10_000 })).liveKey;
  const client = installation.apis[0]?.client();
  assert.ok(client);
  const made = await client.ask({ path: bulkPath, key, body: { emails: ['one@nullmx.test'] } });
  const taskId = String(made.body['task_id']);

  const callsOf = (): Record<CallName, Call> => ({
    // Its mail host would have to be asked.
    single: { path: singlePath, key, body: { email: `p${Math.random()}@strict.test` } },
    bulk: { path: bulkPath, key, body: { emails: [`p${Math.random()}@strict.test`] } },
    poll: { method: 'GET', path: `${bulkPath}/${taskId}`, key },
    account: { method: 'GET', path: '/api/v1/account', key },
    tasks: { method: 'GET', path: '/api/v1/account/tasks', key },
    operator: { method: 'GET', path: '/admin/v1/accounts', key: adminToken },
  });

  /** Sends every call to every API. */
  function askAll(): Promise<Asked[]> {
    const asked = installation.apis.flatMap((one) =>
      Object.entries(callsOf()).map(async ([name, call]) => {
        const to = one.client();
        assert.ok(to);
        const startedAt = performance.now();
        const answer = await to.send(call);
        assert.ok(answer.kind === 'answered', `${name}: no answer`);
        // The cast holds: the keys of a record of calls are their names.
        return { name: name as CallName, answer, ms: performance.now() - startedAt };
      }),
    );
    return Promise.all(asked);
  }

  async function untilServed(): Promise<number> {
    const startedAt = performance.now();
    await until(askAll, (asked) => asked.every(({ answer }) => answer.status < 300));
    return Math.round(performance.now() - startedAt);
  }

  return {
    throughTrouble: async (t, refused) => {
      const asked: Asked[] = [];
      const lateness = watchLateness();
      for (let round = 0; round < 8; round += 1) {
        asked.push(...(await askAll()));
        await sleep(200);
      }
      const slowest = asked.map(({ ms }) => Math.round(ms)).sort((a, b) => b - a);
      const refusals = asked.filter(({ answer }) => answer.status === 503);
      t.diagnostic(
        `${asked.length} calls, ${refusals.length} refused, the slowest answers after ${slowest.slice(0, 5).join(', ')} ms`,
      );
      for (const { name, answer } of asked) demandHonesty(name, answer, refused);
      // A machine that delays the test also delays the services.
      const allowedMs = answersWithinMs + lateness.worstMs();
      assert.ok(
        (slowest[0] ?? Infinity) <= allowedMs,
        `an answer took ${slowest[0]} ms, allowed ${allowedMs}`,
      );
      return asked;
    },
    untilServed,
    untilServedSoon: async (t) => {
      const recoveryMs = await untilServed();
      // The time of one round in good state shows how busy this machine is.
      const roundMs = await untilServed();
      t.diagnostic(`served again after ${recoveryMs} ms; a round takes ${roundMs} ms`);
      assert.ok(recoveryMs <= recoversWithinMs + 10 * roundMs, `it took ${recoveryMs} ms`);
    },
  };
}

/** Asserts a refusal or, for calls that may be served, a true answer. */
function demandHonesty(name: CallName, answer: Answered, refused: readonly CallName[]): void {
  if (answer.status < 300 && !refused.includes(name)) return;
  assert.deepEqual([name, answer.status, answer.body['reason']], [name, 503, 'service_unavailable']);
  assert.match(String(answer.headers['retry-after']), /^\d+$/);
  if (name !== 'operator') assert.equal(answer.creditsUsed, '0');
}

/** Returns the request ids of the refusals. */
export function refusedIds(asked: Asked[]): string[] {
  return asked.filter(({ answer }) => answer.status === 503).map(({ answer }) => answer.requestId);
}
