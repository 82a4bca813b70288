import { randomUUID } from 'node:crypto';
import type { WantedEventType } from '@mailproof/client';
import { recordChange, type Actor } from '../../core/ledger/record-change.ts';
import { statement, type Tx } from '../../core/store/statement.ts';
import { disableWebhook, giveUpPending } from './disable-webhook.ts';
import {
  findDelivery,
  findWebhook,
  readWebhooks,
  type StoredDelivery,
  type StoredWebhook,
} from './read-webhooks.ts';
import { makeSecret } from './sign-message.ts';
import { sumUpWantedEvents } from './wanted-events.ts';
import { webhookLimits } from './webhook-limits.ts';
import { takeSend, type SendsUsedUp } from './send-allowance.ts';
import { insertMessage, messageOf, type Message } from './write-event.ts';

/**
 * What the owner of an endpoint does with it. Each is one transaction with the account as its serial key, written alone,
 * and ends in the audit log; that names the endpoint and what it wants, never its secret or its URL.
 */
export type WebhookOrder = { accountId: string; webhookId: string; actor: Actor; now: number };

export type NewWebhook = {
  accountId: string;
  url: string;
  events: WantedEventType[];
  creditsLowAt: number | undefined;
  enabled: boolean;
  actor: Actor;
  now: number;
};

export type CreateWebhookAnswer =
  { kind: 'created'; webhook: StoredWebhook; secret: string } | { kind: 'too_many_webhooks' };

/** Where `credits.low` is wanted and nothing is said of when. */
const usualThreshold = 100;

type Row = {
  id: string;
  account: string;
  url: string;
  events: string;
  low: number | null;
  enabled: number;
  secret: string;
  disabled: number | null;
  because: 'owner' | null;
  now: number;
};

const insertWebhook = statement((db, arg: Row) =>
  db.insertInto('webhook').values({
    id: arg.id,
    account_id: arg.account,
    url: arg.url,
    events: arg.events,
    credits_low_at: arg.low,
    enabled: arg.enabled,
    secret: arg.secret,
    disabled_at: arg.disabled,
    disabled_because: arg.because,
    created_at: arg.now,
  }),
);

export async function createWebhook(tx: Tx, webhook: NewWebhook): Promise<CreateWebhookAnswer> {
  const { accountId, url, events, enabled, actor, now } = webhook;
  if ((await readWebhooks(tx, accountId)).length >= webhookLimits.endpoints)
    return { kind: 'too_many_webhooks' };
  const id = randomUUID();
  const secret = makeSecret();
  await tx.change(insertWebhook, {
    id,
    account: accountId,
    url,
    events: JSON.stringify(events),
    low: thresholdOf(events, webhook.creditsLowAt ?? null),
    enabled: enabled ? 1 : 0,
    secret,
    disabled: enabled ? null : now,
    because: enabled ? null : 'owner',
    now,
  });
  await sumUpWantedEvents(tx, accountId);
  const detail = { account_id: accountId, events: events.join(' ') };
  await recordChange(tx, { actor, action: 'webhook_created', subject: id, detail, now });
  return { kind: 'created', webhook: await mustFind(tx, { accountId, webhookId: id }), secret };
}

/** A threshold without the event that it belongs to would mean nothing. */
function thresholdOf(events: WantedEventType[], wished: number | null): number | null {
  return events.includes('credits.low') ? (wished ?? usualThreshold) : null;
}

export type WebhookWish = {
  url?: string | undefined;
  events?: WantedEventType[] | undefined;
  creditsLowAt?: number | undefined;
  enabled?: boolean | undefined;
};

export type ChangeWebhookAnswer = { kind: 'changed'; webhook: StoredWebhook } | { kind: 'webhook_not_found' };

const writeWish = statement((db, arg: { webhook: string; url: string; events: string; low: number | null }) =>
  db
    .updateTable('webhook')
    .set({ url: arg.url, events: arg.events, credits_low_at: arg.low, low_told_at: null })
    .where('id', '=', arg.webhook),
);

const writeEnabled = statement((db, arg: { webhook: string }) =>
  db
    .updateTable('webhook')
    .set({ enabled: 1, disabled_at: null, disabled_because: null, failing_since: null, timed_out_at: null })
    .where('id', '=', arg.webhook),
);

export async function changeWebhook(
  tx: Tx,
  order: WebhookOrder,
  wish: WebhookWish,
): Promise<ChangeWebhookAnswer> {
  const { accountId, webhookId, actor, now } = order;
  const known = await findWebhook(tx, order);
  if (known === undefined) return { kind: 'webhook_not_found' };
  const { url = known.url, events = known.events, enabled = known.enabled } = wish;
  const low = thresholdOf(events, wish.creditsLowAt ?? known.creditsLowAt);
  await tx.change(writeWish, { webhook: webhookId, url, events: JSON.stringify(events), low });
  if (enabled && !known.enabled) await tx.change(writeEnabled, { webhook: webhookId });
  await sumUpWantedEvents(tx, accountId);
  const detail = { account_id: accountId, events: events.join(' '), enabled: enabled ? 1 : 0 };
  await recordChange(tx, { actor, action: 'webhook_changed', subject: webhookId, detail, now });
  if (!enabled && known.enabled) await disableWebhook(tx, { ...order, because: 'owner' });
  return { kind: 'changed', webhook: await mustFind(tx, order) };
}

export type RotateSecretAnswer =
  { kind: 'rotated'; secret: string; previousUntil: number } | { kind: 'webhook_not_found' };

const writeSecret = statement((db, arg: { webhook: string; secret: string; until: number }) =>
  db
    .updateTable('webhook')
    .set((eb) => ({ previous_secret: eb.ref('secret'), previous_until: arg.until, secret: arg.secret }))
    .where('id', '=', arg.webhook),
);

/** Messages are signed with both for a day, so that the receiver may change over at any moment of it. */
export async function rotateSecret(tx: Tx, order: WebhookOrder): Promise<RotateSecretAnswer> {
  const { accountId, webhookId, actor, now } = order;
  if ((await findWebhook(tx, order)) === undefined) return { kind: 'webhook_not_found' };
  const secret = makeSecret();
  const previousUntil = now + webhookLimits.previousSecretMs;
  await tx.change(writeSecret, { webhook: webhookId, secret, until: previousUntil });
  const detail = { account_id: accountId };
  await recordChange(tx, { actor, action: 'webhook_secret_rotated', subject: webhookId, detail, now });
  return { kind: 'rotated', secret, previousUntil };
}

export type DeleteWebhookAnswer = { kind: 'deleted' } | { kind: 'webhook_not_found' };

const markDeleted = statement((db, arg: { webhook: string; now: number }) =>
  db.updateTable('webhook').set({ deleted_at: arg.now }).where('id', '=', arg.webhook),
);

/** Nobody sees it from now on; the sweep erases it with its deliveries. */
export async function deleteWebhook(tx: Tx, order: WebhookOrder): Promise<DeleteWebhookAnswer> {
  const { accountId, webhookId, actor, now } = order;
  if ((await findWebhook(tx, order)) === undefined) return { kind: 'webhook_not_found' };
  await tx.change(markDeleted, { webhook: webhookId, now });
  await giveUpPending(tx, webhookId, now);
  await sumUpWantedEvents(tx, accountId);
  const detail = { account_id: accountId };
  await recordChange(tx, { actor, action: 'webhook_deleted', subject: webhookId, detail, now });
  return { kind: 'deleted' };
}

export type SendAgainAnswer =
  | { kind: 'queued'; delivery: StoredDelivery }
  | { kind: 'webhook_not_found' }
  | { kind: 'delivery_not_found' }
  /** Nothing is sent to an endpoint that is off. */
  | { kind: 'webhook_disabled' }
  | SendsUsedUp;

/** A message that says nothing but that it came. */
export async function sendTest(tx: Tx, order: WebhookOrder): Promise<SendAgainAnswer> {
  const { webhookId, now } = order;
  const event = { type: 'webhook.test', data: { webhook_id: webhookId } } as const;
  return queue(tx, order, { everyMs: webhookLimits.testEveryMs, find: () => messageOf(event, now) });
}

/** A new delivery of the same message, with the same id: what was written of the first stays. */
export async function sendAgain(tx: Tx, order: WebhookOrder, deliveryId: string): Promise<SendAgainAnswer> {
  const { webhookId } = order;
  return queue(tx, order, {
    everyMs: webhookLimits.againEveryMs,
    find: () => findDelivery(tx, { webhookId, deliveryId }),
  });
}

type Queueing = { everyMs: number; find: () => Message | Promise<Message | undefined> };

/** The account pays: it may have so much sent that no event made, and is told when it may again. */
async function queue(tx: Tx, order: WebhookOrder, { everyMs, find }: Queueing): Promise<SendAgainAnswer> {
  const { accountId, webhookId, now } = order;
  const webhook = await findWebhook(tx, order);
  if (webhook === undefined) return { kind: 'webhook_not_found' };
  if (!webhook.enabled) return { kind: 'webhook_disabled' };
  const message = await find();
  if (message === undefined) return { kind: 'delivery_not_found' };
  const usedUp = await takeSend(tx, { accountId, everyMs, now });
  if (usedUp !== undefined) return usedUp;
  const [deliveryId = ''] = insertMessage(tx, { webhookIds: [webhookId], message, now });
  const delivery = await findDelivery(tx, { webhookId, deliveryId });
  if (delivery === undefined) throw new Error('a delivery that was just written is not there');
  return { kind: 'queued', delivery };
}

async function mustFind(tx: Tx, place: { accountId: string; webhookId: string }): Promise<StoredWebhook> {
  const webhook = await findWebhook(tx, place);
  if (webhook === undefined) throw new Error('an endpoint that was just written is not there');
  return webhook;
}
