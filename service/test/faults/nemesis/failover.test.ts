import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerTo, bulkPath, fieldsOf, singlePath, type Caller } from '../endurance/call.ts';
import { openAccount } from '../endurance/open-account.ts';
import { runCommand } from '../endurance/run-command.ts';
import { adminToken, createAskEveryApi, requestIdOf, type AskEveryApi } from './ask-every-api.ts';
import { openFleet, type Fleet } from './fleet.ts';
import { openPair } from './open-pair.ts';
import { untilWorldIsQuiet } from './until-world-is-quiet.ts';

const recoversWithinMs = 5_000;

describe('three APIs whose database fails over to its standby', () => {
  let pair: Awaited<ReturnType<typeof openPair>>;
  let fleet: Fleet;
  let ask: AskEveryApi;
  before(async () => {
    pair = await openPair();
    const settings = { MAILPROOF_ADMIN_TOKEN: adminToken };
    fleet = await openFleet({ apis: 3, workers: 2, postgres: pair.postgres, settings });
    await Promise.all([...fleet.apis, ...fleet.workers].map((member) => member.start()));
    ask = await createAskEveryApi(fleet);
  });
  after(() => fleet.close());

  /** The request that was charged. */
  async function verify(caller: Caller, key: string): Promise<string> {
    const body = { email: `s${Math.random()}@strict.test` };
    const answer = await answerTo(caller, { path: singlePath, key, body });
    assert.deepEqual([answer.status, answer.creditsUsed], [200, '1']);
    return requestIdOf(answer);
  }

  async function submit(caller: Caller, key: string): Promise<string> {
    const emails = Array.from({ length: 20 }, () => `t${Math.random()}@strict.test`);
    const answer = await answerTo(caller, { path: bulkPath, key, body: { emails } });
    assert.equal(answer.status, 201);
    return String(fieldsOf(answer)['task_id']);
  }

  async function untilCompleted(caller: Caller, key: string, taskId: string): Promise<void> {
    const startedAt = performance.now();
    for (;;) {
      const answer = await answerTo(caller, { method: 'GET', path: `${bulkPath}/${taskId}`, key });
      assert.equal(answer.status, 200, answer.body);
      if (fieldsOf(answer)['status'] === 'completed') return;
      assert.ok(performance.now() - startedAt < 120_000, `not completed: ${answer.body}`);
      await sleep(200);
    }
  }

  it('503 while nothing can be written, served again within 5 s of the promotion, nothing lost', async (t) => {
    const key = (await openAccount(fleet.home, { name: 'insured', credits: 10_000 })).liveKey;
    const caller = fleet.apis[0]?.caller();
    assert.ok(caller);
    await ask.untilServed();
    const charged = await Promise.all(Array.from({ length: 20 }, () => verify(caller, key)));
    const tasks = await Promise.all(Array.from({ length: 5 }, () => submit(caller, key)));

    await pair.losePrimary();
    await untilWorldIsQuiet(fleet);
    fleet.world.reset();
    await ask.throughTrouble(t, ['single', 'bulk']);
    const { smtp, dns } = fleet.world.counts;
    assert.deepEqual([smtp.connections, dns.queries], [0, 0], 'nobody was asked on credit');

    await pair.promoteStandby();
    const recoveryMs = await ask.untilServed();
    t.diagnostic(`served again ${recoveryMs} ms after the promotion`);
    assert.ok(recoveryMs <= recoversWithinMs, `it took ${recoveryMs} ms`);
    for (const taskId of tasks) await untilCompleted(caller, key, taskId);
    const kept = await fleet.query('select id from hold where id = any($1) and charged = 1', [charged]);
    assert.equal(kept.length, charged.length, 'what was acknowledged was kept');
    assert.deepEqual((await runCommand(['audit'], fleet.home))['violations'], []);
    assert.deepEqual(fleet.crashes, []);
  });
});
