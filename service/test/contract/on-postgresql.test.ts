/**
 * The service on PostgreSQL as a user meets it. The rest of the contract runs there too:
 * `test/faults/contract-on-postgresql.test.ts`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startProxy } from '../support/postgres/proxy.ts';
import { createPostgresDatabase, withoutPostgres } from '../support/postgres/test-postgres.ts';
import { singlePath } from '../support/api-client.ts';
import { until } from '../support/until.ts';
import { startServiceInWorld } from './running-service.ts';

test(
  '503 at once while PostgreSQL is gone, and 200 when it is back, without a restart',
  { skip: withoutPostgres },
  async (t) => {
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
  },
);
