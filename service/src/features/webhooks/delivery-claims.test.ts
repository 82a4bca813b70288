import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databases } from '../../../test/support/databases.ts';
import { addresses } from '../../../test/support/open-task-fixture.ts';
import { until } from '../../../test/support/until.ts';
import { answer, openWebhookFixture } from '../../../test/support/webhooks/open-webhook-fixture.ts';
import type { DeliveryClaim } from './claim-delivery.ts';
import { createDeliverySender, deliver } from './send-deliveries.ts';
import type { SendOutcome } from './send-request.ts';

const never = new AbortController().signal;
const leaseMs = 60_000;

type Fixture = Awaited<ReturnType<typeof openWebhookFixture>>;

/** An attempt whose receiver has not answered yet. */
async function beginAttempt(fixture: Fixture, cut: AbortSignal = never) {
  fixture.time.advance(1_000);
  const claim = await fixture.sender.claim();
  assert.ok(claim);
  const answered = Promise.withResolvers<SendOutcome>();
  fixture.receiver.answer = () => answered.promise;
  const sending = deliver(claim, fixture.parts, cut);
  sending.catch(() => undefined);
  await until(() => fixture.sent.length > 0);
  return { claim, sending, answered };
}

/** Another process takes over when the lease has ended. */
async function takeOver(fixture: Fixture): Promise<DeliveryClaim> {
  fixture.time.advance(leaseMs);
  const successor = createDeliverySender({ ...fixture.parts, processId: 'successor' });
  const claim = await successor.claim();
  assert.ok(claim);
  return claim;
}

async function claimAll(fixture: Fixture): Promise<DeliveryClaim[]> {
  const claims: DeliveryClaim[] = [];
  fixture.time.advance(1_000);
  for (let claim = await fixture.sender.claim(); claim !== undefined; claim = await fixture.sender.claim())
    claims.push(claim);
  return claims;
}

for (const database of databases) {
  describe(`claims of deliveries on ${database.name}`, () => {
    it('an attempt that lost its lease writes nothing while its successor is still sending', async () => {
      const fixture = await openWebhookFixture(database);
      const webhook = await fixture.created(['task.completed']);
      await fixture.runTask(addresses(1));
      const slow = await beginAttempt(fixture);
      const taken = await takeOver(fixture);
      slow.answered.resolve(answer(500));
      await slow.sending;
      const [during] = await fixture.deliveries(webhook.webhookId);
      assert.deepEqual([during?.state, during?.attempts.length], ['pending', 0]);
      fixture.receiver.answer = () => answer(200);
      await deliver(taken, fixture.parts, never);
      const [after] = await fixture.deliveries(webhook.webhookId);
      assert.deepEqual([after?.state, after?.attempts.length], ['delivered', 1]);
      await fixture.close();
    });

    it('an attempt that is broken off ends its own lease and not that of its successor', async () => {
      const fixture = await openWebhookFixture(database);
      await fixture.created(['task.completed']);
      await fixture.runTask(addresses(1));
      const cut = new AbortController();
      const slow = await beginAttempt(fixture, cut.signal);
      await takeOver(fixture);
      cut.abort();
      slow.answered.reject(new Error('broken off'));
      await assert.rejects(slow.sending, /broken off/);
      fixture.time.advance(1_000);
      assert.equal(await fixture.sender.claim(), undefined);
      await fixture.close();
    });

    it('a delivery that is broken off can be claimed at once', async () => {
      const fixture = await openWebhookFixture(database);
      await fixture.created(['task.completed']);
      await fixture.runTask(addresses(1));
      const cut = new AbortController();
      const slow = await beginAttempt(fixture, cut.signal);
      cut.abort();
      slow.answered.reject(new Error('broken off'));
      await assert.rejects(slow.sending, /broken off/);
      fixture.time.advance(1_000);
      assert.equal((await fixture.sender.claim())?.deliveryId, slow.claim.deliveryId);
      await fixture.close();
    });

    it('a process that dies frees its own deliveries and no others', async () => {
      const fixture = await openWebhookFixture(database);
      await fixture.created(['task.completed']);
      await fixture.runTask(addresses(1));
      const dying = await fixture.store.joinRegistry();
      const held = await claimAll(fixture);
      assert.equal(held.length, 1);
      await fixture.kill(dying);
      await fixture.sweep();
      assert.deepEqual(await claimAll(fixture), []);
      await fixture.close();
    });

    it('an endpoint that is switched off during an attempt stays off, and its delivery stays given up', async () => {
      const fixture = await openWebhookFixture(database);
      const { webhookId } = await fixture.created(['task.completed']);
      await fixture.runTask(addresses(1));
      const slow = await beginAttempt(fixture);
      await fixture.actions.change(fixture.owner, webhookId, { enabled: false });
      slow.answered.resolve(answer(500));
      await slow.sending;
      const [delivery] = await fixture.deliveries(webhookId);
      assert.deepEqual([delivery?.state, (await fixture.read(webhookId)).enabled], ['failed', false]);
      await fixture.close();
    });

    it('nothing is sent to an endpoint that is switched off after the claim', async () => {
      const fixture = await openWebhookFixture(database);
      const { webhookId } = await fixture.created(['task.completed']);
      await fixture.runTask(addresses(1));
      const [claim] = await claimAll(fixture);
      assert.ok(claim);
      await fixture.actions.change(fixture.owner, webhookId, { enabled: false });
      await fixture.sender.run(claim, { cut: never });
      assert.deepEqual(fixture.sent, []);
      await fixture.close();
    });

    it('a message to another endpoint is claimed at once while a first one is under way', async () => {
      const fixture = await openWebhookFixture(database);
      const first = await fixture.created(['task.completed']);
      const second = await fixture.created(['task.completed']);
      await fixture.queueMessages(first.webhookId, 1);
      fixture.time.advance(1_000);
      assert.equal((await fixture.sender.claim())?.webhookId, first.webhookId);
      await fixture.queueMessages(second.webhookId, 1);
      assert.equal((await fixture.sender.claim())?.webhookId, second.webhookId);
      await fixture.close();
    });

    it('an account has sixteen deliveries under way at most, and gets every place back', async () => {
      const fixture = await openWebhookFixture(database);
      for (let n = 0; n < 4; n += 1) {
        const { webhookId } = await fixture.created(['task.completed']);
        await fixture.queueMessages(webhookId, 8);
      }
      const first = await claimAll(fixture);
      assert.equal(first.length, 16);
      for (const claim of first) await fixture.sender.run(claim, { cut: never });
      assert.equal((await claimAll(fixture)).length, 16);
      await fixture.close();
    });
  });
}
