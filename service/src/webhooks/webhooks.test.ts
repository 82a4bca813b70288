import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WantedEventType } from '@mailproof/client';
import { databases, type TestDatabase } from '../../test/support/databases.ts';
import { addresses, openTaskFixture } from '../../test/support/open-task-fixture.ts';
import { openAccount } from '../../test/support/open-account.ts';
import { unknown } from '../../test/support/outcomes.ts';
import { judgeSignature, type ReceivedMessage } from '../../test/support/webhooks/judge-signature.ts';
import { listChanges } from '../audit-log/list-changes.ts';
import { grantCredits } from '../credits/grant-credits.ts';
import type { DeliveryClaim } from './claim-delivery.ts';
import { createDeliverySender, deliver } from './send-deliveries.ts';
import type { SendOutcome } from './send-request.ts';
import { createWebhookActions } from './webhook-actions.ts';

const hourMs = 3_600_000;
const never = new AbortController().signal;
const answer = (status: number): SendOutcome => ({ kind: 'answered', status, retryAfterMs: 0, response: '' });

/** Tasks, credits and endpoints over a real database, with an internet that answers as told. */
async function openWebhookFixture(database: TestDatabase, credits = 1_000) {
  const tasks = await openTaskFixture(database, credits);
  const { store, time, registry, account } = tasks;
  const { wallClock } = time;
  const sent: (ReceivedMessage & { url: string })[] = [];
  const receiver = { answer: (): SendOutcome | Promise<SendOutcome> => answer(200) };
  const parts = {
    store,
    clock: time,
    wallClock,
    processId: registry.ownId,
    random: () => 0.5,
    onProblem: (_: string, error: unknown) => tasks.problems.push(error),
    send: async ({ url, headers, body }: ReceivedMessage & { url: string }) => {
      sent.push({ url, headers, body });
      return receiver.answer();
    },
  };
  const sender = createDeliverySender(parts);
  const actions = createWebhookActions({ store, wallClock, httpAllowed: false, wake: () => undefined });
  const owner = { accountId: account.accountId, actor: 'key:k' as const };
  const created = async (
    events: WantedEventType[],
    { creditsLowAt, url = 'https://hooks.example.com/in' }: { creditsLowAt?: number; url?: string } = {},
  ) => {
    const made = await actions.create(owner, { url, events, creditsLowAt, enabled: true });
    assert.ok(made.kind === 'created');
    return { ...made.webhook, secret: made.secret };
  };
  /** Sends all that is due, one after the other; says how many were. */
  const sendAll = async () => {
    let count = 0;
    for (let claim = await sender.claim(); claim !== undefined; claim = await sender.claim(), count += 1)
      await sender.run(claim, { cut: never });
    return count;
  };
  const sendDue = async () => {
    // What became due since the last look is found at the next one.
    time.advance(1_000);
    return sendAll();
  };
  const deliveries = async (webhookId: string) =>
    (await actions.deliveries({ accountId: account.accountId, webhookId }, { limit: 100, before: undefined }))
      ?.deliveries ?? [];
  const read = async (webhookId: string) => {
    const webhook = await actions.read({ accountId: account.accountId, webhookId });
    assert.ok(webhook);
    return webhook;
  };
  const runTask = async (emails: string[], caller = account.live) => {
    const taskId = await tasks.created(caller, emails);
    const claim = await tasks.claim();
    assert.ok(claim);
    await tasks.run(claim);
    return taskId;
  };
  return {
    ...tasks,
    createdTask: (emails: string[]) => tasks.created(account.live, emails),
    parts,
    sent,
    receiver,
    sender,
    actions,
    owner,
    created,
    sendDue,
    deliveries,
    read,
    runTask,
  };
}

const bodyOf = (message: { body: string } | undefined) =>
  JSON.parse(message?.body ?? 'null') as { type: string; timestamp: string; data: Record<string, unknown> };

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
      for (let n = 0; n < 30; n += 1) await fixture.actions.sendTest(fixture.owner, hanging.webhookId);
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
      assert.deepEqual(await actions.list(accountId), []);
      assert.equal(await actions.read({ accountId, webhookId }), undefined);
      assert.equal(
        await actions.deliveries({ accountId, webhookId }, { limit: 9, before: undefined }),
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
