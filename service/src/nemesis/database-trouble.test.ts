import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerTo, bulkPath, fieldsOf, singlePath, type Answered, type Call } from '../endurance/call.ts';
import { openAccount } from '../endurance/open-account.ts';
import { runCommand } from '../endurance/run-command.ts';
import { openFleet, type Fleet } from './fleet.ts';
import { freezeDatabase } from './freeze-database.ts';
import { takeEveryConnection } from './take-every-connection.ts';

/** How the database can fail, each with the way back. */
const troubles: { name: string; begin: (fleet: Fleet) => Promise<() => Promise<void> | void> }[] = [
  {
    name: 'gone',
    begin: async ({ postgres }) => {
      await postgres.halt('immediate');
      return () => postgres.resume();
    },
  },
  { name: 'silent', begin: freezeDatabase },
  { name: 'out of connections', begin: takeEveryConnection },
];

type Timed = { answer: Answered; ms: number };

const refusesWithinMs = 1_000;
const recoversWithinMs = 5_000;

describe('three APIs whose database fails them', () => {
  let fleet: Fleet;
  let key: string;
  let taskId: string;
  before(async () => {
    fleet = await openFleet({ apis: 3, workers: 1, maxConnections: 120 });
    key = (await openAccount(fleet.home, { name: 'patient', credits: 10_000 })).liveKey;
    await Promise.all([...fleet.apis, ...fleet.workers].map((member) => member.start()));
    taskId = await createTask();
  });
  after(() => fleet.close());

  const callsOf = (): Record<'single' | 'bulk' | 'poll', Call> => ({
    // Its mail host would have to be asked.
    single: { path: singlePath, key, body: { email: `p${Math.random()}@strict.test` } },
    bulk: { path: bulkPath, key, body: { emails: [`p${Math.random()}@strict.test`] } },
    poll: { method: 'GET', path: `${bulkPath}/${taskId}`, key },
  });

  async function createTask(): Promise<string> {
    const caller = fleet.apis[0]?.caller();
    assert.ok(caller);
    const made = await answerTo(caller, { path: bulkPath, key, body: { emails: ['one@nullmx.test'] } });
    return String(fieldsOf(made)['task_id']);
  }

  /** Every call at every API. */
  async function askAll(): Promise<Timed[]> {
    const asked = fleet.apis.flatMap((member) =>
      Object.values(callsOf()).map(async (call) => {
        const caller = member.caller();
        assert.ok(caller);
        const startedAt = performance.now();
        const answer = await answerTo(caller, call);
        return { answer, ms: performance.now() - startedAt };
      }),
    );
    return Promise.all(asked);
  }

  /** Nothing that was let in before is under way any more. */
  async function untilTheWorldIsQuiet(): Promise<void> {
    for (let before = -1; before !== fleet.world.counts.smtp.connections;) {
      before = fleet.world.counts.smtp.connections;
      await sleep(500);
    }
  }

  async function askThroughTrouble(t: TestContext): Promise<void> {
    const rounds: Timed[] = [];
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    for (let round = 0; round < 8; round += 1) {
      rounds.push(...(await askAll()));
      await sleep(200);
    }
    const slowest = rounds.map(({ ms }) => Math.round(ms)).sort((a, b) => b - a);
    t.diagnostic(`${rounds.length} refusals, the slowest after ${slowest.slice(0, 5).join(', ')} ms`);
    for (const { answer } of rounds) {
      assert.deepEqual([answer.status, fieldsOf(answer)['reason']], [503, 'service_unavailable']);
      assert.match(answer.bytes, /^retry-after\n\d+$/im);
      assert.equal(answer.creditsUsed, '0');
    }
    // A machine that makes us late makes them late.
    const allowedMs = refusesWithinMs + 2 * (delay.max / 1e6);
    assert.ok((slowest[0] ?? Infinity) <= allowedMs, `a refusal took ${slowest[0]} ms, allowed ${allowedMs}`);
  }

  /** Since the trouble ended. */
  async function timeRecovery(): Promise<number> {
    const startedAt = performance.now();
    for (;;) {
      const answers = await askAll();
      if (answers.every(({ answer }) => answer.status < 300))
        return Math.round(performance.now() - startedAt);
      if (performance.now() - startedAt > 60_000)
        assert.fail(`a minute later: ${answers.map(({ answer }) => answer.status).join(', ')}`);
      await sleep(100);
    }
  }

  for (const { name, begin } of troubles) {
    it(`${name}: 503 and when to come again, no packet sent, and back by itself`, async (t) => {
      await timeRecovery();
      await untilTheWorldIsQuiet();
      const end = await begin(fleet);
      try {
        fleet.world.reset();
        await askThroughTrouble(t);
        const { smtp, dns } = fleet.world.counts;
        assert.deepEqual([smtp.connections, dns.queries], [0, 0], 'nobody was asked on credit');
      } finally {
        await end();
      }
      const recoveryMs = await timeRecovery();
      t.diagnostic(`served again ${recoveryMs} ms after it was back`);
      assert.ok(recoveryMs <= recoversWithinMs, `it took ${recoveryMs} ms`);
      assert.deepEqual(fleet.crashes, []);
    });
  }

  it('afterwards the books balance', async () => {
    assert.deepEqual((await runCommand(['audit'], fleet.home))['violations'], []);
  });
});
