import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { databases } from '../../../test/support/databases.ts';
import { addresses } from '../../../test/support/open-task-fixture.ts';
import { openAccount } from '../../../test/support/open-account.ts';
import type { ReceivedMessage } from '../../../test/support/webhooks/judge-signature.ts';
import { answer, bodyOf, openWebhookFixture } from '../../../test/support/webhooks/open-webhook-fixture.ts';

const dayMs = 86_400_000;

/** Whether one of the signatures is by this secret. */
function isSignedBy({ headers, body }: ReceivedMessage, secret: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const signature = createHmac('sha256', key).update(text).digest('base64');
  return headers['webhook-signature']?.split(' ').includes(`v1,${signature}`) ?? false;
}

for (const database of databases) {
  describe(`changes of endpoints on ${database.name}`, () => {
    it('a rotated secret signs for a day and never again; the new one signs all the time', async () => {
      const fixture = await openWebhookFixture(database);
      const { webhookId, secret: old } = await fixture.created(['task.completed']);
      const rotated = await fixture.actions.rotateSecret(fixture.owner, webhookId);
      assert.ok(rotated.kind === 'rotated');
      const signers = async () => {
        await fixture.actions.sendTest(fixture.owner, webhookId);
        await fixture.sendDue();
        const message = fixture.sent.at(-1);
        assert.ok(message);
        return { old: isSignedBy(message, old), new: isSignedBy(message, rotated.secret) };
      };
      assert.deepEqual(await signers(), { old: true, new: true });
      fixture.time.advance(dayMs);
      assert.deepEqual(await signers(), { old: false, new: true });
      await fixture.close();
    });

    it('credits.low is told when credits fall from exactly the threshold', async () => {
      const fixture = await openWebhookFixture(database, 100);
      const webhook = await fixture.created(['credits.low'], { creditsLowAt: 95 });
      await fixture.runTask(addresses(5));
      assert.deepEqual(await fixture.balance(), [95, 0, 5]);
      assert.equal((await fixture.deliveries(webhook.webhookId)).length, 0);
      await fixture.runTask(addresses(1));
      const told = (await fixture.deliveries(webhook.webhookId)).map((delivery) => bodyOf(delivery).data);
      assert.deepEqual(told, [{ available: 94, credits_low_at: 95 }]);
      await fixture.close();
    });

    it('credits.low is told to the endpoints whose threshold was crossed, and to no other', async () => {
      const fixture = await openWebhookFixture(database, 100);
      const high = await fixture.created(['credits.low'], { creditsLowAt: 95 });
      const low = await fixture.created(['credits.low'], { creditsLowAt: 10 });
      await fixture.runTask(addresses(20));
      const told = [high, low].map(async ({ webhookId }) => (await fixture.deliveries(webhookId)).length);
      assert.deepEqual(await Promise.all(told), [1, 0]);
      await fixture.close();
    });

    it('an event is told to the endpoints of its own account only', async () => {
      const fixture = await openWebhookFixture(database);
      await fixture.created(['task.completed']);
      const parts = { store: fixture.store, wallClock: fixture.time.wallClock };
      const { accountId } = await openAccount(parts, 10);
      const url = 'https://other.example.com/';
      const theirs = { url, events: ['task.completed' as const], creditsLowAt: undefined, enabled: true };
      await fixture.actions.create({ accountId, actor: 'key:other' }, theirs);
      await fixture.runTask(addresses(1));
      await fixture.sendDue();
      assert.deepEqual(
        fixture.sent.map((message) => message.url),
        ['https://hooks.example.com/in'],
      );
      await fixture.close();
    });

    it('an endpoint that is off gets nothing, not even a test; switched on again it gets everything', async () => {
      const fixture = await openWebhookFixture(database);
      const { webhookId } = await fixture.created(['task.completed']);
      await fixture.actions.change(fixture.owner, webhookId, { enabled: false });
      assert.equal((await fixture.read(webhookId)).disabledBecause, 'owner');
      const refused = await fixture.actions.sendTest(fixture.owner, webhookId);
      assert.equal(refused.kind, 'webhook_disabled');
      await fixture.runTask(addresses(1));
      assert.deepEqual(await fixture.deliveries(webhookId), []);
      await fixture.actions.change(fixture.owner, webhookId, { enabled: true });
      const { enabled, disabledBecause } = await fixture.read(webhookId);
      assert.deepEqual([enabled, disabledBecause], [true, null]);
      await fixture.runTask(addresses(1));
      assert.equal((await fixture.deliveries(webhookId)).length, 1);
      await fixture.close();
    });

    it('an endpoint that is switched on again has not failed yet', async () => {
      const fixture = await openWebhookFixture(database);
      const { webhookId } = await fixture.created(['task.completed']);
      fixture.receiver.answer = () => answer(500);
      await fixture.runTask(addresses(1));
      await fixture.sendDue();
      assert.notEqual((await fixture.read(webhookId)).failingSince, null);
      await fixture.actions.change(fixture.owner, webhookId, { enabled: false });
      await fixture.actions.change(fixture.owner, webhookId, { enabled: true });
      assert.equal((await fixture.read(webhookId)).failingSince, null);
      await fixture.close();
    });

    it('an endpoint that is gone takes nothing from the others of its account', async () => {
      const fixture = await openWebhookFixture(database);
      const gone = await fixture.created(['task.completed'], { url: 'https://gone.example.com/' });
      const other = await fixture.created(['task.completed']);
      await fixture.runTask(addresses(1));
      await fixture.actions.change(fixture.owner, gone.webhookId, { enabled: false });
      await fixture.sendDue();
      const states = [gone, other].map(
        async ({ webhookId }) => (await fixture.deliveries(webhookId))[0]?.state,
      );
      assert.deepEqual(await Promise.all(states), ['failed', 'delivered']);
      await fixture.close();
    });

    it('a page of deliveries holds those of its endpoint, as many as it should and each once', async () => {
      const fixture = await openWebhookFixture(database);
      const { webhookId } = await fixture.created(['task.completed']);
      const other = await fixture.created(['task.completed']);
      for (let n = 0; n < 3; n += 1) await fixture.actions.sendTest(fixture.owner, webhookId);
      await fixture.actions.sendTest(fixture.owner, other.webhookId);
      const { accountId } = fixture.owner;
      const page = async (before?: string) =>
        fixture.actions.deliveries({ accountId, mode: 'live', webhookId }, { limit: 2, before });
      const first = await page();
      assert.equal(first?.deliveries.length, 2);
      const second = await page(first.next);
      assert.deepEqual([second?.deliveries.length, second?.next], [1, undefined]);
      const all = [...first.deliveries, ...(second?.deliveries ?? [])].map(({ deliveryId }) => deliveryId);
      assert.equal(new Set(all).size, 3);
      await fixture.close();
    });

    it('a deleted endpoint is not shown, found or changed any more', async () => {
      const fixture = await openWebhookFixture(database);
      const { webhookId } = await fixture.created(['task.completed']);
      const { actions, owner } = fixture;
      await actions.remove(owner, webhookId);
      assert.deepEqual(await actions.list({ accountId: owner.accountId, mode: 'live' }), []);
      assert.equal((await actions.rotateSecret(owner, webhookId)).kind, 'webhook_not_found');
      await fixture.close();
    });
  });
}
