import type { Webhook, WebhookDelivery, WebhookEventType } from '@mailproof/client';
import type { StoredDelivery, StoredWebhook } from '../read-webhooks.ts';
import { isoTime } from '../../account/routes/present-account.ts';

/** Endpoints and deliveries in the words and forms of the contract. */
export function presentWebhook(webhook: StoredWebhook): Webhook {
  return {
    webhook_id: webhook.webhookId,
    url: webhook.url,
    events: webhook.events,
    credits_low_at: webhook.creditsLowAt,
    enabled: webhook.enabled,
    disabled_at: timeOrNull(webhook.disabledAt),
    disabled_because: webhook.disabledBecause,
    failing_since: timeOrNull(webhook.failingSince),
    previous_secret_until: timeOrNull(webhook.previousSecretUntil),
    created_at: isoTime(webhook.createdAt),
  };
}

export function presentDelivery(delivery: StoredDelivery): WebhookDelivery {
  const { deliveryId, eventId, type, state, attempts, response, body, createdAt, endedAt, nextAt } = delivery;
  return {
    delivery_id: deliveryId,
    event_id: eventId,
    // Only events of the contract are ever written.
    type: type as WebhookEventType,
    state,
    attempts: attempts.map(({ at, durationMs, outcome, status }) => ({
      at: isoTime(at),
      duration_ms: durationMs,
      outcome,
      status,
    })),
    next_attempt_at: state === 'pending' ? isoTime(nextAt) : null,
    response,
    body,
    created_at: isoTime(createdAt),
    ended_at: timeOrNull(endedAt),
  };
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
