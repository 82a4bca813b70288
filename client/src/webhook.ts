import type { KeyMode } from './account.ts';

/** Webhooks: `/api/v1/webhooks` and below. They follow Standard Webhooks 1.0.0. Times are ISO 8601 in UTC. */
export type WebhookEventType = WebhookEvent['type'];

/** What an endpoint of yours is told: ids, counts and the time, never an address. */
export type WebhookEvent =
  | {
      type: 'task.completed';
      timestamp: string;
      data: { task_id: string; mode: KeyMode; count_total: number; credits_used: number };
    }
  | { type: 'list.completed'; timestamp: string; data: WebhookListData & { credits_used: number } }
  | { type: 'list.paused'; timestamp: string; data: WebhookListData }
  | {
      type: 'credits.low';
      timestamp: string;
      /** How many are available now, and the threshold of the endpoint that they fell below. */
      data: { available: number; credits_low_at: number };
    }
  /** Sent when it is asked for, whatever events the endpoint wants. */
  | { type: 'webhook.test'; timestamp: string; data: { webhook_id: string } };

export type WebhookListData = {
  list_id: string;
  mode: KeyMode;
  /** Addresses that the run checks, and those of them that are answered. */
  count_total: number;
  count_checked: number;
};

/** The events that an endpoint can want. */
export type WantedEventType = Exclude<WebhookEventType, 'webhook.test'>;

export type Webhook = {
  webhook_id: string;
  url: string;
  events: WantedEventType[];
  /** `credits.low` is told when fewer credits than this are available; null where it is not wanted. */
  credits_low_at: number | null;
  /** Nothing is written for an endpoint that is off. */
  enabled: boolean;
  disabled_at: string | null;
  /** Its owner switched it off, it answered 410, or it failed for days. */
  disabled_because: 'owner' | 'gone' | 'failing' | null;
  /** Since when every attempt has failed. */
  failing_since: string | null;
  /** While a secret is rotated: until when messages are signed with the one before too. */
  previous_secret_until: string | null;
  created_at: string;
};

export type WebhookList = { webhooks: Webhook[] };

export type WebhookRequest = {
  url: string;
  events: WantedEventType[];
  /** With `credits.low`; 100 unless given. */
  credits_low_at?: number;
  /** On unless given. */
  enabled?: boolean;
};

/** What is not given stays as it is. */
export type WebhookChange = {
  url?: string;
  events?: WantedEventType[];
  credits_low_at?: number;
  enabled?: boolean;
};

/** `secret` is told here and never again. */
export type CreatedWebhook = Webhook & { secret: string };

/** What came of one attempt: `delivered` is an answer of 2xx, `answered` any other. */
export type WebhookAttemptOutcome =
  | 'delivered'
  | 'answered'
  | 'timeout'
  | 'connection_failed'
  | 'closed_early'
  | 'tls_failed'
  | 'name_not_found'
  | 'dns_failed'
  | 'forbidden_address'
  | 'https_required';

export type WebhookAttempt = {
  at: string;
  duration_ms: number;
  outcome: WebhookAttemptOutcome;
  /** The status of the answer, where there was one. */
  status: number | null;
};

export type WebhookDelivery = {
  delivery_id: string;
  /** The `webhook-id` of the message: the same at each attempt and when it is sent again. */
  event_id: string;
  type: WebhookEventType;
  state: 'pending' | 'delivered' | 'failed';
  attempts: WebhookAttempt[];
  next_attempt_at: string | null;
  /** The beginning of the last answer, 1 kB at most. */
  response: string | null;
  /** What is sent, byte by byte. */
  body: string;
  created_at: string;
  ended_at: string | null;
};

/** The newest first. `next` goes into `before` of the next request; null at the end. */
export type WebhookDeliveryPage = { deliveries: WebhookDelivery[]; next: string | null };

/** `secret` is told here and never again. */
export type RotatedSecret = { secret: string; previous_secret_until: string };

/** What the endpoints of webhooks may refuse, beside what those of the account do. */
export type WebhookErrorReason =
  | 'invalid_webhook_url'
  | 'webhook_not_found'
  | 'delivery_not_found'
  | 'webhook_disabled'
  | 'too_many_webhooks';
