/** A part of the contract suite once more, with the service on PostgreSQL: what stands in the store. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { startProxy } from '../support/postgres/proxy.ts';
import { createPostgresDatabase } from '../support/postgres/test-postgres.ts';
import { singlePath } from '../support/api-client.ts';
import { until } from '../support/until.ts';
import { startServiceInWorld } from './running-service.ts';

const files = ['idempotency', 'tasks', 'refusals'];

for (const file of files) {
  test(`${file}.test.ts holds on PostgreSQL`, async () => {
    // Starts the server, or finds the one of this run; the other process is told which.
    const { url, giveBack } = await createPostgresDatabase('empty');
    const env = { ...process.env, MAILPROOF_TEST_SERVICE_ON: 'PostgreSQL', MAILPROOF_TEST_POSTGRES_URL: url };
    // It would take itself for a part of this run.
    delete (env as NodeJS.ProcessEnv)['NODE_TEST_CONTEXT'];
    const child = spawn(process.execPath, ['--test', join(import.meta.dirname, `${file}.test.ts`)], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [status] = (await once(child, 'close')) as [number | null];
    assert.equal(status, 0, said);
    assert.match(said, /^\S* ?fail 0$/m);
    await giveBack();
  });
}

test('503 at once while PostgreSQL is gone, and 200 when it is back, without a restart', async (t) => {
  const database = await createPostgresDatabase('empty');
  const proxy = await startProxy(database.url);
  const service = await startServiceInWorld({ settings: { MAILPROOF_DATABASE_URL: proxy.url } });
  t.after(async () => {
    proxy.accept();
    await service.stop();
    await proxy.close();
    await database.giveBack();
  });
  const { key } = service.first;
  const ask = () =>
    service.client.ask({ path: singlePath, key, body: { email: 'alive@plain.test' } }, { insist: false });
  await until(ask, ({ status }) => status === 200);
  proxy.refuse();
  for (let n = 0; n < 20; n += 1) {
    const { status, body } = await ask();
    assert.deepEqual([status, body['reason']], [503, 'service_unavailable']);
  }
  proxy.accept();
  await until(ask, ({ status }) => status === 200);
  proxy.cut();
  await until(ask, ({ status }) => status === 200);
  const { reserved } = await service.balance(service.first);
  assert.equal(reserved, 0);
});
