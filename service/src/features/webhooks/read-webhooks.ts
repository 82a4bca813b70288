import type { WantedEventType } from '@mailproof/client';
import type { Selectable } from 'kysely';
import type { Schema } from '../../core/store/schema.ts';
import { statement, type Reader } from '../../core/store/statement.ts';
import { readAttempts, type Attempt } from './record-attempt.ts';
import { readEventTypes } from './wanted-events.ts';

/** An endpoint as its owner sees it; the secret is not part of it. */
export type StoredWebhook = {
  webhookId: string;
  url: string;
  events: WantedEventType[];
  creditsLowAt: number | null;
  enabled: boolean;
  disabledAt: number | null;
  disabledBecause: 'owner' | 'gone' | 'failing' | null;
  failingSince: number | null;
  previousSecretUntil: number | null;
  createdAt: number;
};

export type StoredDelivery = {
  deliveryId: string;
  eventId: string;
  type: string;
  state: 'pending' | 'delivered' | 'failed';
  attempts: Attempt[];
  nextAt: number;
  response: string | null;
  body: string;
  createdAt: number;
  endedAt: number | null;
};

const findAll = statement((db, arg: { account: string }) =>
  db
    .selectFrom('webhook')
    .selectAll()
    .where('account_id', '=', arg.account)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id'),
);

export async function readWebhooks(reader: Reader, accountId: string): Promise<StoredWebhook[]> {
  return (await reader.all(findAll, { account: accountId })).map(toWebhook);
}

/** The endpoint of this account; none where it was deleted or is somebody else's. */
export async function findWebhook(
  reader: Reader,
  { accountId, webhookId }: { accountId: string; webhookId: string },
): Promise<StoredWebhook | undefined> {
  return (await readWebhooks(reader, accountId)).find((webhook) => webhook.webhookId === webhookId);
}

function toWebhook(row: Selectable<Schema['webhook']>): StoredWebhook {
  return {
    webhookId: row.id,
    url: row.url,
    events: readEventTypes(row.events),
    creditsLowAt: row.credits_low_at,
    enabled: row.enabled === 1,
    disabledAt: row.disabled_at,
    disabledBecause: row.disabled_because,
    failingSince: row.failing_since,
    previousSecretUntil: row.previous_until,
    createdAt: row.created_at,
  };
}

const findPage = statement((db, arg: { webhook: string; before: string; limit: number }) =>
  db
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('webhook_id', '=', arg.webhook)
    .where('id', '<', arg.before)
    .orderBy('id', 'desc')
    .limit(arg.limit),
);

/** After every id of a delivery. */
const afterAll = 'g';

/** The newest first. */
export async function readDeliveries(
  reader: Reader,
  { webhookId, before = afterAll, limit }: { webhookId: string; before?: string | undefined; limit: number },
): Promise<{ deliveries: StoredDelivery[]; next: string | undefined }> {
  const rows = await reader.all(findPage, { webhook: webhookId, before, limit: limit + 1 });
  const deliveries = rows.slice(0, limit).map(toDelivery);
  return { deliveries, next: rows.length > limit ? deliveries.at(-1)?.deliveryId : undefined };
}

const findOne = statement((db, arg: { webhook: string; delivery: string }) =>
  db
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('id', '=', arg.delivery)
    .where('webhook_id', '=', arg.webhook),
);

export async function findDelivery(
  reader: Reader,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
): Promise<StoredDelivery | undefined> {
  const row = await reader.first(findOne, { webhook: webhookId, delivery: deliveryId });
  return row && toDelivery(row);
}

function toDelivery(row: Selectable<Schema['webhook_delivery']>): StoredDelivery {
  return {
    deliveryId: row.id,
    eventId: row.event_id,
    type: row.type,
    state: row.state,
    attempts: readAttempts(row.attempt_log),
    nextAt: row.next_at,
    response: row.response,
    body: row.body,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  };
}
