import assert from 'node:assert/strict';
import type { WantedEventType } from '@mailproof/client';
import type { Store } from '../../../src/core/store/store.ts';
import { createDeliverySender } from '../../../src/features/webhooks/send-deliveries.ts';
import type { SendOutcome } from '../../../src/features/webhooks/send-request.ts';
import { createWebhookActions } from '../../../src/features/webhooks/webhook-actions.ts';
import { insertEvent } from '../../../src/features/webhooks/write-event.ts';
import type { TestDatabase } from '../databases.ts';
import { openTaskFixture } from '../open-task-fixture.ts';
import type { ReceivedMessage } from './judge-signature.ts';

export const answer = (status: number): SendOutcome => ({
  kind: 'answered',
  status,
  retryAfterMs: 0,
  response: '',
});

const never = new AbortController().signal;

/** Messages as many as are wanted, past the limits of what an owner may have sent. */
function queueMessages(
  store: Pick<Store, 'write'>,
  { webhookId, count, now }: { webhookId: string; count: number; now: number },
): Promise<void> {
  return store.write((tx) => {
    const event = { type: 'webhook.test', data: { webhook_id: webhookId } } as const;
    for (let n = 0; n < count; n += 1) insertEvent(tx, { webhookIds: [webhookId], event, now });
    return Promise.resolve();
  });
}

/** Tasks, credits and endpoints over a real database, with an internet that answers as told. */
export async function openWebhookFixture(database: TestDatabase, credits = 1_000) {
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
  const sendDue = async () => {
    // What became due since the last look is found at the next one.
    time.advance(1_000);
    let count = 0;
    for (let claim = await sender.claim(); claim !== undefined; claim = await sender.claim(), count += 1)
      await sender.run(claim, { cut: never });
    return count;
  };
  const place = (webhookId: string) => ({ accountId: account.accountId, mode: 'live' as const, webhookId });
  const deliveries = async (webhookId: string) =>
    (await actions.deliveries(place(webhookId), { limit: 100, before: undefined }))?.deliveries ?? [];
  const read = async (webhookId: string) => {
    const webhook = await actions.read(place(webhookId));
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
    queueMessages: (webhookId: string, count: number) =>
      queueMessages(store, { webhookId, count, now: wallClock.now() }),
    deliveries,
    read,
    runTask,
  };
}

export const bodyOf = (message: { body: string } | undefined) =>
  JSON.parse(message?.body ?? 'null') as { type: string; timestamp: string; data: Record<string, unknown> };
