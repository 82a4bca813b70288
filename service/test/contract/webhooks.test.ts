import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createClient, type WebhookEvent } from '@mailproof/client';
import type { WorldDescription } from '@mailproof/world';
import { openFixture } from '../support/open-fixture.ts';
import { until } from '../support/until.ts';
import { judgeSignature } from '../support/webhooks/judge-signature.ts';
import { startReceiver } from '../support/webhooks/start-receiver.ts';

const description: WorldDescription = {
  zones: { 'brisk.test': { mx: [[10, 'mx.brisk.test']] }, 'hooks.test': { a: ['127.0.0.1'] } },
  hosts: { 'mx.brisk.test': { mailboxes: { ann: 'exists', bob: 'exists' } } },
};

it('tasks, lists and credits are told to an endpoint as they happen, signed as the reference implementation demands', async () => {
  const fixture = await openFixture({ world: description });
  const receiver = await startReceiver();
  const { liveKey } = await fixture.openAccount({ credits: 10 });
  const api = await fixture.startHere({ role: 'api' });
  const client = createClient({ baseUrl: api.url, apiKey: liveKey });
  try {
    const { secret } = await client.webhooks.create({
      url: `http://hooks.test:${receiver.port}/in`,
      events: ['task.completed', 'list.completed', 'list.paused', 'credits.low'],
      credits_low_at: 9,
    });
    const { task_id } = await client.createTask(['ann@brisk.test', 'eve@brisk.test']);
    const { list_id } = await client.lists.create('email\nann@brisk.test\nbob@brisk.test\n', {
      name: 'a.csv',
    });
    // There is no worker yet, so that the list is paused before it ends.
    await client.lists.start(list_id);
    await client.lists.pause(list_id);
    await client.lists.resume(list_id);
    const worker = await fixture.startHere({ role: 'worker' });
    try {
      await until(() => receiver.messages.length === 4);
    } finally {
      await worker.stop();
    }
    const events = receiver.messages.map((message) => judgeSignature(message, secret) as WebhookEvent);
    const counts = { list_id, mode: 'live', count_total: 2 };
    assert.deepEqual(
      events.map(({ type, data }) => ({ type, data })).sort((a, b) => (a.type < b.type ? -1 : 1)),
      [
        { type: 'credits.low', data: { available: 8, credits_low_at: 9 } },
        { type: 'list.completed', data: { ...counts, count_checked: 2, credits_used: 2 } },
        { type: 'list.paused', data: { ...counts, count_checked: 0 } },
        { type: 'task.completed', data: { task_id, mode: 'live', count_total: 2, credits_used: 2 } },
      ],
    );
    assert.ok(
      receiver.messages.every(({ body }) => !/@|a\.csv/.test(body)),
      'no address and no name',
    );
  } finally {
    await api.stop();
    await receiver.stop();
    await fixture.close();
  }
});

it('a block that is open to mail hosts is closed to webhooks, which have a setting of their own', async () => {
  const fixture = await openFixture({
    world: description,
    settings: { MAILPROOF_WEBHOOK_EGRESS_ALLOW: '192.0.2.0/24' },
  });
  const receiver = await startReceiver();
  const { liveKey } = await fixture.openAccount({ credits: 10 });
  const service = await fixture.startHere();
  const client = createClient({ baseUrl: service.url, apiKey: liveKey });
  try {
    assert.equal((await client.verify('ann@brisk.test')).status, 'safe');
    const { webhook_id } = await client.webhooks.create({
      url: `http://hooks.test:${receiver.port}/in`,
      events: ['task.completed'],
    });
    await client.webhooks.test(webhook_id);
    const { deliveries } = await until(
      () => client.webhooks.deliveries(webhook_id),
      ({ deliveries: [first] }) => (first?.attempts.length ?? 0) > 0,
    );
    assert.equal(deliveries[0]?.attempts[0]?.outcome, 'forbidden_address');
    assert.equal(receiver.messages.length, 0);
  } finally {
    await service.stop();
    await receiver.stop();
    await fixture.close();
  }
});
