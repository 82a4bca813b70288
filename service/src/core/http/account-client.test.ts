import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient, MailproofError, type Client } from '@mailproof/client';
import { oneDatabase } from '../../../test/support/databases.ts';
import { openHttpFixture, type HttpFixture } from '../../../test/support/http/open-http-fixture.ts';

/** The client's calls for the account, against the service itself. */
let fixture: HttpFixture;
let client: Client;
before(async () => {
  const [database] = oneDatabase;
  assert.ok(database !== undefined);
  fixture = await openHttpFixture(database);
  const baseUrl = await fixture.server.listen({ host: '127.0.0.1', port: 0 });
  client = createClient({ baseUrl, apiKey: fixture.ours.live.apiKey });
});
after(() => fixture.close());

test('the account, its ledger by pages, its use and its tasks', async () => {
  assert.equal((await client.account()).account_id, fixture.ours.accountId);
  const { task_id: taskId, requestId } = await client.createTask(['a@example.com', 'nonsense']);
  const first = await client.ledger({ limit: 3 });
  assert.deepEqual(
    first.entries.map(({ kind, task_id, request_id }) => [kind, task_id, request_id]),
    ['release', 'reserve', 'reserve'].map((kind) => [kind, taskId, requestId]),
  );
  const second = await client.ledger({ before: first.next ?? '' });
  assert.deepEqual([second.entries.map(({ kind }) => kind), second.next], [['grant'], null]);
  const { days } = await client.usage({ days: 2 });
  assert.deepEqual(
    days.map(({ reserved, released }) => [reserved, released]),
    [
      [0, 0],
      [2, 1],
    ],
  );
  assert.deepEqual(
    (await client.tasks()).tasks.map((task) => task.task_id),
    [taskId],
  );
});

test('webhooks are created, changed, tested, sent again and deleted', async () => {
  const { secret, webhook_id: id } = await client.webhooks.create({
    url: 'https://hooks.example.com/in',
    events: ['credits.low'],
    credits_low_at: 7,
  });
  assert.match(secret, /^whsec_/);
  assert.equal((await client.webhooks.change(id, { events: ['task.completed'] })).credits_low_at, null);
  const tested = await client.webhooks.test(id);
  const again = await client.webhooks.send(id, tested.delivery_id);
  assert.equal(again.event_id, tested.event_id);
  const { deliveries, next } = await client.webhooks.deliveries(id, { limit: 1 });
  assert.equal(deliveries.length, 1);
  assert.equal((await client.webhooks.deliveries(id, { before: next ?? '' })).deliveries.length, 1);
  assert.notEqual((await client.webhooks.rotateSecret(id)).secret, secret);
  assert.deepEqual((await client.webhooks.list()).webhooks, [await client.webhooks.read(id)]);
  await client.webhooks.delete(id);
  await assert.rejects(
    client.webhooks.read(id),
    (error) => error instanceof MailproofError && error.reason === 'webhook_not_found',
  );
});

test('keys are created, listed, named and deleted', async () => {
  fixture.time.advance(1);
  const created = await client.keys.create({ name: 'shop', mode: 'test' });
  assert.match(created.api_key, /^mp_test_/);
  const named = await client.keys.rename(created.key_id, 'web/é');
  assert.equal(named.name, 'web/é');
  const { keys } = await client.keys.list();
  assert.deepEqual(keys[0], named);
  await client.keys.delete(created.key_id);
  await assert.rejects(
    client.keys.delete(created.key_id),
    (error) => error instanceof MailproofError && error.reason === 'key_not_found' && error.status === 404,
  );
  await assert.rejects(
    client.keys.rename('../../x', 'y'),
    (error) => error instanceof MailproofError && error.reason === 'key_not_found',
  );
});
