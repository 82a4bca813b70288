import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiClient, bulkPath, singlePath } from '../../support/api-client.ts';
import { openAccount } from '../endurance/open-account.ts';
import { runCommand } from '../endurance/run-command.ts';
import { adminToken, createAskEveryApi, type AskEveryApi } from './ask-every-api.ts';
import { openFleet, type Fleet } from './fleet.ts';
import { openPair } from './open-pair.ts';
import { untilWorldIsQuiet } from './until-world-is-quiet.ts';

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
  async function verify(caller: ApiClient, key: string): Promise<string> {
    const body = { email: `s${Math.random()}@strict.test` };
    const answer = await caller.ask({ path: singlePath, key, body });
    assert.deepEqual([answer.status, answer.creditsUsed], [200, '1']);
    return answer.requestId;
  }

  async function submit(caller: ApiClient, key: string): Promise<string> {
    const emails = Array.from({ length: 20 }, () => `t${Math.random()}@strict.test`);
    const answer = await caller.ask({ path: bulkPath, key, body: { emails } });
    assert.equal(answer.status, 201);
    return String(answer.body['task_id']);
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
    await ask.untilServedSoon(t);
    for (const taskId of tasks) await caller.readTaskUntil(key, taskId);
    const kept = await fleet.query('select id from hold where id = any($1) and charged = 1', [charged]);
    assert.equal(kept.length, charged.length, 'what was acknowledged was kept');
    assert.deepEqual((await runCommand(['audit'], fleet.home))['violations'], []);
    assert.deepEqual(fleet.crashes, []);
  });
});
