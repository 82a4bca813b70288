import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { databases, type TestDatabase } from '../../../test/support/databases.ts';
import { addresses } from '../../../test/support/open-task-fixture.ts';
import { openAccount } from '../../../test/support/open-account.ts';
import { unknown } from '../../../test/support/outcomes.ts';
import { judgeSignature } from '../../../test/support/webhooks/judge-signature.ts';
import { answer, bodyOf, openWebhookFixture } from '../../../test/support/webhooks/open-webhook-fixture.ts';
import { listChanges } from '../operator/audit-log/list-changes.ts';
import { grantCredits } from '../../core/ledger/grant-credits.ts';
import type { DeliveryClaim } from './claim-delivery.ts';
import { createDeliverySender, deliver } from './send-deliveries.ts';
import type { SendOutcome } from './send-request.ts';

const hourMs = 3_600_000;
const never = new AbortController().signal;

for (const database of databases) {
  describe(`webhooks on ${database.name}`, () => {
    it('a completed task is told to every endpoint that wants it, under one id, without an address', async () => {
      const fixture = await openWebhookFixture(database);
      const first = await fixture.created(['task.completed']);
      const second = await fixture.created(['list.completed', 'task.completed']);
      await fixture.created(['list.completed', 'list.paused', 'credits.low'], { creditsLowAt: 1 });
      const taskId = await fixture.runTask(addresses(3));
      assert.equal(await fixture.sendDue(), 2);
      const [one, two] = fixture.sent;
      assert.equal(one?.headers['webhook-id'], two?.headers['webhook-id']);
      assert.deepEqual(bodyOf(one), {
        type: 'task.completed',
        timestamp: new Date(fixture.time.wallClock.now() - 1_000).toISOString(),
        data: { task_id: taskId, mode: 'live', count_total: 3, credits_used: 3 },
      });
      assert.ok(fixture.sent.every(({ body }) => !body.includes('@')));
      const [delivery] = await fixture.deliveries(first.webhookId);
      assert.equal(delivery?.state, 'delivered');
      assert.equal(delivery.eventId, one?.headers['webhook-id']);
      assert.equal((await fixture.deliveries(second.webhookId)).length, 1);
      assert.equal(await fixture.sendDue(), 0);
      assert.deepEqual(fixture.problems, []);
      await fixture.close();
    });

    it('tasks of test keys and tasks with nothing to do are told too', async () => {
      const fixture = await openWebhookFixture(database);
      await fixture.created(['task.completed']);
      const test = await fixture.runTask(['ann@example.com'], fixture.account.test);
      const empty = await fixture.createdTask(['no address']);
      await fixture.sendDue();
      assert.deepEqual(
        fixture.sent.map(bodyOf).map(({ data }) => [data['task_id'], data['mode'], data['count_total']]),
        [
          [test, 'test', 1],
          [empty, 'live', 0],
        ],
      );
      await fixture.close();
    });

    it('an event is there exactly where the transaction that makes it true was committed', async () => {
      const fixture = await openWebhookFixture(database);
      const webhook = await fixture.created(['task.completed']);
      const taskId = await fixture.createdTask(addresses(2));
      const claim = await fixture.claim();
      assert.ok(claim);
      const { store } = fixture;
      const failing = {
        ...store,
        write: (async (operation, key) =>
          store.write(async (tx) => {
            const done = await operation(tx);
            if (key !== undefined && typeof done === 'object')
              throw new Error('broken off before the commit');
            return done;
          }, key)) as typeof store.write,
      };
      await assert.rejects(fixture.run(claim, { store: failing }), /broken off/);
      assert.deepEqual(await fixture.deliveries(webhook.webhookId), []);
      fixture.time.advance(60_000);
      const again = await fixture.claim();
      assert.ok(again);
      await fixture.run(again);
      const told = await fixture.deliveries(webhook.webhookId);
      assert.deepEqual(
        told.map((delivery) => bodyOf(delivery).data['task_id']),
        [taskId],
      );
      await fixture.close();
    });

    it('credits.low is told when credits fall below the threshold, once an hour, and anew after a grant', async () => {
      const fixture = await openWebhookFixture(database, 100);
      const webhook = await fixture.created(['credits.low'], { creditsLowAt: 95 });
      fixture.mind.answer = (email) => unknown(email);
      const events = async () => (await fixture.deliveries(webhook.webhookId)).length;
      await fixture.runTask(addresses(5));
      assert.equal(await events(), 0, '95 are available, which is not below 95');
      await fixture.runTask(addresses(6));
      assert.equal(await events(), 1);
      const [event] = await fixture.deliveries(webhook.webhookId);
      assert.deepEqual(bodyOf(event).data, { available: 94, credits_low_at: 95 });
      await fixture.runTask(addresses(6));
      assert.equal(await events(), 1, 'the credits came back and fell again within the hour');
      fixture.time.advance(hourMs);
      await fixture.runTask(addresses(6));
      assert.equal(await events(), 2);
      await grantCredits(
        { accountId: fixture.account.accountId, credits: 1 },
        { store: fixture.store, wallClock: fixture.time.wallClock, actor: 'operator' },
      );
      await fixture.runTask(addresses(7));
      assert.equal(await events(), 3);
      assert.deepEqual(await fixture.violations(), []);
      await fixture.close();
    });

    it('a message is tried again on schedule with the same id and a new time, and given up after ten attempts', async () => {
      const fixture = await openWebhookFixture(database);
      const webhook = await fixture.created(['task.completed']);
      const other = await fixture.created(['list.paused']);
      fixture.receiver.answer = () => answer(500);
      await fixture.runTask(addresses(1));
      let hours = 0;
      for (; hours < 200 && (await fixture.read(webhook.webhookId)).enabled; hours += 0.25) {
        await fixture.sendDue();
        fixture.time.advance(hourMs / 4);
      }
      assert.equal(fixture.sent.length, 10);
      assert.equal(new Set(fixture.sent.map(({ headers }) => headers['webhook-id'])).size, 1);
      assert.equal(new Set(fixture.sent.map(({ headers }) => headers['webhook-timestamp'])).size, 10);
      assert.ok(hours > 75 && hours < 80, `${hours} hours`);
      const [delivery] = await fixture.deliveries(webhook.webhookId);
      assert.equal(delivery?.state, 'failed');
      assert.deepEqual(
        delivery.attempts.map(({ outcome, status }) => [outcome, status]),
        Array.from({ length: 10 }, () => ['answered', 500]),
      );
      const disabled = await fixture.read(webhook.webhookId);
      assert.equal(disabled.disabledBecause, 'failing');
      const [entry] = await listChanges({ limit: 1 }, fixture);
      assert.deepEqual(
        [entry?.action, entry?.actor, entry?.subject, entry?.detail['because']],
        ['webhook_disabled', 'service', webhook.webhookId, 'failing'],
      );
      assert.equal((await fixture.read(other.webhookId)).enabled, true);
      await fixture.runTask(addresses(1));
      assert.equal(
        (await fixture.deliveries(webhook.webhookId)).length,
        1,
        'nothing is written for it any more',
      );
      await fixture.close();
    });

    it('an endpoint that took another message meanwhile is not disabled by one that it never takes', async () => {
      const fixture = await openWebhookFixture(database);
      const webhook = await fixture.created(['task.completed']);
      fixture.receiver.answer = () => answer(500);
      await fixture.runTask(addresses(1));
      for (let n = 0; n < 320; n += 1) {
        await fixture.sendDue();
        fixture.time.advance(hourMs / 4);
        if (n !== 100) continue;
        await fixture.actions.sendTest(fixture.owner, webhook.webhookId);
        fixture.receiver.answer = () =>
          answer(fixture.sent.at(-1)?.body.includes('webhook.test') ? 200 : 500);
      }
      const states = (await fixture.deliveries(webhook.webhookId)).map(({ state }) => state);
      assert.deepEqual(states, ['delivered', 'failed']);
      assert.equal((await fixture.read(webhook.webhookId)).enabled, true);
      await fixture.close();
    });

    it('an answer of 410 disables the endpoint at once, and what waited for it is given up', async () => {
      const fixture = await openWebhookFixture(database);
      const webhook = await fixture.created(['task.completed']);
      fixture.receiver.answer = () => answer(410);
      await fixture.runTask(addresses(1));
      await fixture.runTask(addresses(1));
      assert.equal(await fixture.sendDue(), 1);
      const { enabled, disabledBecause } = await fixture.read(webhook.webhookId);
      assert.deepEqual([enabled, disabledBecause], [false, 'gone']);
      const states = (await fixture.deliveries(webhook.webhookId)).map(({ state }) => state);
      assert.deepEqual(states, ['failed', 'failed']);
      const changes = await listChanges({ limit: 5 }, fixture);
      assert.equal(changes[0]?.action, 'webhook_disabled');
      await fixture.close();
    });

    it('a process that lost its lease writes nothing: what its successor wrote stands', async () => {
      const fixture = await openWebhookFixture(database);
      const webhook = await fixture.created(['task.completed']);
      await fixture.runTask(addresses(1));
      fixture.time.advance(1_000);
      const slow = await fixture.sender.claim();
      assert.ok(slow);
      const answered = Promise.withResolvers<SendOutcome>();
      fixture.receiver.answer = () => answered.promise;
      const late = deliver(slow, fixture.parts, never);
      fixture.time.advance(60_000);
      const successor = createDeliverySender({ ...fixture.parts, processId: 'successor' });
      const taken: DeliveryClaim | undefined = await successor.claim();
      assert.equal(taken?.deliveryId, slow.deliveryId);
      assert.ok(taken.fence > slow.fence);
      fixture.receiver.answer = () => answer(200);
      await deliver(taken, fixture.parts, never);
      answered.resolve(answer(500));
      await late;
      const [delivery] = await fixture.deliveries(webhook.webhookId);
      assert.deepEqual([delivery?.state, delivery?.attempts.length], ['delivered', 1]);
      await fixture.close();
    });

    it('a delivery is claimed by one process at a time, and comes back when its process dies', async () => {
      const fixture = await openWebhookFixture(database);
      await fixture.created(['task.completed']);
      await fixture.runTask(addresses(1));
      fixture.time.advance(1_000);
      const dying = await fixture.store.joinRegistry();
      const senders = Array.from({ length: 8 }, () =>
        createDeliverySender({ ...fixture.parts, processId: dying.ownId }),
      );
      const claims = await Promise.all(senders.map((sender) => sender.claim()));
      assert.equal(claims.filter((claim) => claim !== undefined).length, 1);
      await fixture.kill(dying);
      await fixture.sweep();
      assert.equal(await fixture.sendDue(), 1);
      await fixture.close();
    });

    it('a hanging endpoint with many messages holds up nobody else', async () => {
      const fixture = await openWebhookFixture(database);
      const hanging = await fixture.created(['task.completed']);
      await fixture.queueMessages(hanging.webhookId, 30);
      const other = await openAccount({ store: fixture.store, wallClock: fixture.time.wallClock }, 10);
      const second = await fixture.actions.create(
        { accountId: other.accountId, actor: 'key:o' },
        {
          url: 'https://other.example.com/',
          events: ['list.paused'],
          creditsLowAt: undefined,
          enabled: true,
        },
      );
      assert.ok(second.kind === 'created');
      await fixture.actions.sendTest(
        { accountId: other.accountId, actor: 'key:o' },
        second.webhook.webhookId,
      );
      fixture.time.advance(1_000);
      const claims: DeliveryClaim[] = [];
      for (
        let claim = await fixture.sender.claim();
        claim !== undefined;
        claim = await fixture.sender.claim()
      )
        claims.push(claim);
      const to = (webhookId: string) => claims.filter((claim) => claim.webhookId === webhookId).length;
      assert.deepEqual([to(hanging.webhookId), to(second.webhook.webhookId)], [8, 1]);
      await fixture.close();
    });
  });

  it(`an account without webhooks pays for them with no statement, on ${database.name}`, async () => {
    const statements: string[] = [];
    const watched: TestDatabase = {
      ...database,
      open: () =>
        database.open({
          wrap: (connection) => ({
            ...connection,
            execute: (sql, values) => (statements.push(sql), connection.execute(sql, values)),
          }),
        }),
    };
    const fixture = await openWebhookFixture(watched);
    statements.length = 0;
    await fixture.runTask(addresses(5));
    const about = statements.filter((sql) => /\bwebhook/.test(sql));
    assert.deepEqual(about, []);
    await fixture.close();
  });
}

it('the judge takes what an endpoint receives', async () => {
  const [database] = databases;
  assert.ok(database);
  const fixture = await openWebhookFixture(database);
  const { webhookId, secret } = await fixture.created(['task.completed']);
  const real = createDeliverySender({ ...fixture.parts, wallClock: Date });
  await fixture.actions.sendTest(fixture.owner, webhookId);
  const claim = await real.claim();
  assert.ok(claim);
  await real.run(claim, { cut: never });
  const [message] = fixture.sent;
  assert.ok(message);
  judgeSignature(message, secret);
  await fixture.close();
});
