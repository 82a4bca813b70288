import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiClient, bulkPath, singlePath } from '../../support/api-client.ts';
import { adminToken, createAskEveryApi, type AskEveryApi } from './ask-every-api.ts';
import { openInstallation, type Installation } from './open-installation.ts';
import { startReplicatedPostgres } from './replicated-postgres.ts';
import { untilWorldIsQuiet } from './until-world-is-quiet.ts';

describe('three APIs whose database fails over to its standby', () => {
  let replicated: Awaited<ReturnType<typeof startReplicatedPostgres>>;
  let installation: Installation;
  let ask: AskEveryApi;
  before(async () => {
    replicated = await startReplicatedPostgres();
    const settings = { MAILPROOF_ADMIN_TOKEN: adminToken };
    installation = await openInstallation({ apis: 3, workers: 2, postgres: replicated.postgres, settings });
    await Promise.all([...installation.apis, ...installation.workers].map((one) => one.start()));
    ask = await createAskEveryApi(installation);
  });
  after(() => installation.close());

  /** Verifies, and returns the charged request. */
  async function verify(client: ApiClient, key: string): Promise<string> {
    const body = { email: `s${Math.random()}@strict.test` };
    const answer = await client.ask({ path: singlePath, key, body });
    assert.deepEqual([answer.status, answer.creditsUsed], [200, '1']);
    return answer.requestId;
  }

  async function submit(client: ApiClient, key: string): Promise<string> {
    const emails = Array.from({ length: 20 }, () => `t${Math.random()}@strict.test`);
    const answer = await client.ask({ path: bulkPath, key, body: { emails } });
    assert.equal(answer.status, 201);
    return String(answer.body['task_id']);
  }

  it('503 while nothing can be written, served again within 5 s of the promotion, nothing lost', async (t) => {
    const key = (await installation.openAccount({ name: 'insured', credits: 10_000 })).liveKey;
    const client = installation.apis[0]?.client();
    assert.ok(client);
    await ask.untilServed();
    const charged = await Promise.all(Array.from({ length: 20 }, () => verify(client, key)));
    const tasks = await Promise.all(Array.from({ length: 5 }, () => submit(client, key)));

    await replicated.losePrimary();
    await untilWorldIsQuiet(installation);
    installation.world.reset();
    await ask.throughTrouble(t, ['single', 'bulk']);
    const { smtp, dns } = installation.world.counts;
    assert.deepEqual([smtp.connections, dns.queries], [0, 0], 'nobody was asked on credit');

    await replicated.promoteStandby();
    await ask.untilServedSoon(t);
    for (const taskId of tasks) await client.readTaskUntil(key, taskId);
    const kept = await installation.query('select id from hold where id = any($1) and charged = 1', [
      charged,
    ]);
    assert.equal(kept.length, charged.length, 'what was acknowledged was kept');
    assert.deepEqual((await installation.command('audit'))['violations'], []);
    assert.deepEqual(installation.crashes, []);
  });
});
