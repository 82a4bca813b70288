import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databases } from '../../../test/support/databases.ts';
import { addresses } from '../../../test/support/open-task-fixture.ts';
import { openAccount } from '../../../test/support/open-account.ts';
import { answer, openWebhookFixture } from '../../../test/support/webhooks/open-webhook-fixture.ts';

const hourMs = 3_600_000;

for (const database of databases) {
  describe(`the endpoints of an account on ${database.name}`, () => {
    it('while a secret is rotated both sign, for a day, and then the new one alone', async () => {
      const fixture = await openWebhookFixture(database);
      const { webhookId, secret: previous } = await fixture.created(['task.completed']);
      const rotated = await fixture.actions.rotateSecret(fixture.owner, webhookId);
      assert.ok(rotated.kind === 'rotated');
      const signed = async () => {
        await fixture.actions.sendTest(fixture.owner, webhookId);
        await fixture.sendDue();
        const message = fixture.sent.at(-1);
        assert.ok(message);
        // The judge knows the real time only.
        return { ...message, signatures: message.headers['webhook-signature']?.split(' ').length };
      };
      assert.equal((await signed()).signatures, 2);
      fixture.time.advance(24 * hourMs);
      assert.equal((await signed()).signatures, 1);
      assert.notEqual(rotated.secret, previous);
      await fixture.close();
    });

    it('a message sent again is a new delivery of the same one; the first stays as it was', async () => {
      const fixture = await openWebhookFixture(database);
      const webhook = await fixture.created(['task.completed']);
      await fixture.runTask(addresses(1));
      await fixture.sendDue();
      const [first] = await fixture.deliveries(webhook.webhookId);
      assert.ok(first);
      const again = await fixture.actions.sendAgain(fixture.owner, webhook.webhookId, first.deliveryId);
      assert.equal(again.kind, 'queued');
      await fixture.sendDue();
      const [one, two] = fixture.sent;
      assert.deepEqual([one?.headers['webhook-id'], one?.body], [two?.headers['webhook-id'], two?.body]);
      assert.equal((await fixture.deliveries(webhook.webhookId)).length, 2);
      await fixture.close();
    });

    it('nobody sees, changes or has anything sent to the endpoints of another account', async () => {
      const fixture = await openWebhookFixture(database);
      const { webhookId } = await fixture.created(['task.completed']);
      await fixture.actions.sendTest(fixture.owner, webhookId);
      const [delivery] = await fixture.deliveries(webhookId);
      assert.ok(delivery);
      const { accountId } = await openAccount(
        { store: fixture.store, wallClock: fixture.time.wallClock },
        10,
      );
      const outsider = { accountId, actor: 'key:other' as const };
      const { actions } = fixture;
      assert.deepEqual(await actions.list({ accountId, mode: 'live' }), []);
      assert.equal(await actions.read({ accountId, mode: 'live', webhookId }), undefined);
      assert.equal(
        await actions.deliveries({ accountId, mode: 'live', webhookId }, { limit: 9, before: undefined }),
        undefined,
      );
      for (const refused of [
        await actions.change(outsider, webhookId, { enabled: false }),
        await actions.remove(outsider, webhookId),
        await actions.rotateSecret(outsider, webhookId),
        await actions.sendTest(outsider, webhookId),
        await actions.sendAgain(outsider, webhookId, delivery.deliveryId),
      ])
        assert.equal(refused.kind, 'webhook_not_found');
      const own = await actions.create(outsider, {
        url: 'https://x.example.com/',
        events: ['list.paused'],
        creditsLowAt: undefined,
        enabled: true,
      });
      assert.ok(own.kind === 'created');
      const crossed = await actions.sendAgain(outsider, own.webhook.webhookId, delivery.deliveryId);
      assert.equal(crossed.kind, 'delivery_not_found');
      await fixture.close();
    });

    it('an account has ten endpoints at most, however many are asked for at once', async () => {
      const fixture = await openWebhookFixture(database);
      const settings = {
        url: 'https://hooks.example.com/',
        events: ['task.completed' as const],
        creditsLowAt: undefined,
        enabled: true,
      };
      const made = await Promise.all(
        Array.from({ length: 15 }, () => fixture.actions.create(fixture.owner, settings)),
      );
      assert.equal(made.filter(({ kind }) => kind === 'created').length, 10);
      await fixture.close();
    });

    it('a deleted endpoint is gone with all that was sent to it, and hears nothing more', async () => {
      const fixture = await openWebhookFixture(database);
      const { webhookId } = await fixture.created(['task.completed']);
      await fixture.runTask(addresses(1));
      assert.equal((await fixture.actions.remove(fixture.owner, webhookId)).kind, 'deleted');
      assert.equal(await fixture.sendDue(), 0);
      await fixture.sweep();
      const contents = (await fixture.contents()).toString('latin1');
      assert.ok(!contents.includes('hooks.example.com'));
      await fixture.close();
    });

    it('ten test messages at once, then one a minute; a new endpoint or another process brings no more', async () => {
      const fixture = await openWebhookFixture(database);
      const { webhookId } = await fixture.created(['task.completed']);
      const test = (id = webhookId) => fixture.actions.sendTest(fixture.owner, id);
      const kinds = await Promise.all(Array.from({ length: 30 }, async () => (await test()).kind));
      assert.equal(kinds.filter((kind) => kind === 'queued').length, 10);
      assert.deepEqual(await test(), { kind: 'sends_used_up', retryAfterSeconds: 60 });
      await fixture.actions.remove(fixture.owner, webhookId);
      const other = await fixture.created(['task.completed']);
      await fixture.sweep();
      assert.equal((await test(other.webhookId)).kind, 'sends_used_up');
      fixture.time.advance(59_000);
      assert.deepEqual(await test(other.webhookId), { kind: 'sends_used_up', retryAfterSeconds: 1 });
      fixture.time.advance(1_000);
      assert.equal((await test(other.webhookId)).kind, 'queued');
      assert.equal((await test(other.webhookId)).kind, 'sends_used_up');
      fixture.time.advance(24 * hourMs);
      let queued = 0;
      while ((await test(other.webhookId)).kind === 'queued') queued += 1;
      assert.equal(queued, 10, 'what was not used is not saved up');
      await fixture.close();
    });

    it('a hundred messages are sent again at once, then one in six seconds, and other accounts notice nothing', async () => {
      const fixture = await openWebhookFixture(database);
      const { webhookId } = await fixture.created(['task.completed']);
      await fixture.runTask(addresses(1));
      const [first] = await fixture.deliveries(webhookId);
      assert.ok(first);
      const again = () => fixture.actions.sendAgain(fixture.owner, webhookId, first.deliveryId);
      for (let n = 0; n < 100; n += 1) assert.equal((await again()).kind, 'queued');
      assert.deepEqual(await again(), { kind: 'sends_used_up', retryAfterSeconds: 6 });
      const missing = await fixture.actions.sendAgain(fixture.owner, webhookId, webhookId);
      assert.equal(missing.kind, 'delivery_not_found');
      fixture.time.advance(6_000);
      assert.equal((await again()).kind, 'queued');
      const parts = { store: fixture.store, wallClock: fixture.time.wallClock };
      const owner = { accountId: (await openAccount(parts, 10)).accountId, actor: 'key:o' as const };
      const theirs = await fixture.actions.create(owner, {
        url: 'https://other.example.com/',
        events: ['list.paused'],
        creditsLowAt: undefined,
        enabled: true,
      });
      assert.ok(theirs.kind === 'created');
      assert.equal((await fixture.actions.sendTest(owner, theirs.webhook.webhookId)).kind, 'queued');
      await fixture.close();
    });

    it('a test message is tried three times, switches no endpoint off, and is erased a day after its end', async () => {
      const fixture = await openWebhookFixture(database);
      const { webhookId } = await fixture.created(['task.completed']);
      fixture.receiver.answer = () => answer(500);
      await fixture.actions.sendTest(fixture.owner, webhookId);
      for (let n = 0; n < 10; n += 1) {
        await fixture.sendDue();
        fixture.time.advance(hourMs / 4);
      }
      const [test] = await fixture.deliveries(webhookId);
      assert.deepEqual([test?.state, test?.attempts.length], ['failed', 3]);
      assert.equal((await fixture.read(webhookId)).enabled, true);
      fixture.receiver.answer = () => answer(200);
      await fixture.runTask(addresses(1));
      await fixture.sendDue();
      fixture.time.advance(20 * hourMs);
      await fixture.sweep();
      assert.equal((await fixture.deliveries(webhookId)).length, 2);
      fixture.time.advance(4 * hourMs);
      await fixture.sweep();
      const kept = (await fixture.deliveries(webhookId)).map(({ type }) => type);
      assert.deepEqual(kept, ['task.completed']);
      await fixture.close();
    });

    it('deliveries are erased fifteen days after their end', async () => {
      const fixture = await openWebhookFixture(database);
      const { webhookId } = await fixture.created(['task.completed']);
      await fixture.runTask(addresses(1));
      await fixture.sendDue();
      fixture.time.advance(15 * 24 * hourMs - 10_000);
      await fixture.sweep();
      assert.equal((await fixture.deliveries(webhookId)).length, 1);
      fixture.time.advance(10_000);
      await fixture.sweep();
      assert.equal((await fixture.deliveries(webhookId)).length, 0);
      await fixture.close();
    });
  });
}
