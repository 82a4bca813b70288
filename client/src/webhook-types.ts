/** Written by `npm run docs` from the schemas of the service. Change those, not this file. */

/** The endpoint was created. */
export type CreatedWebhook = {
  webhook_id: string;
  url: string;
  events: ('task.completed' | 'list.completed' | 'list.paused' | 'credits.low')[];
  /** The threshold of `credits.low`; null where that is not wanted. */
  credits_low_at: number | null;
  /** Nothing is written for an endpoint that is off. */
  enabled: boolean;
  /** Since when it is off. */
  disabled_at: string | null;
  /**
   * Its owner switched it off; it answered 410; or a delivery used up its ten attempts over 75 hours
   * while nothing got through.
   */
  disabled_because: 'owner' | 'gone' | 'failing' | null;
  /** Since when every attempt has failed. */
  failing_since: string | null;
  /** Until when messages are signed with the secret before too. */
  previous_secret_until: string | null;
  /** When it was created. */
  created_at: string;
  /** Secret that messages are signed with. It is not shown again. */
  secret: string;
};

export type CreditsLowEvent = {
  type: 'credits.low';
  /** When it happened. */
  timestamp: string;
  data: CreditsLowEventData;
};

export type CreditsLowEventData = {
  /** Available now. */
  available: number;
  /** The threshold of the endpoint. */
  credits_low_at: number;
};

export type ListCompletedEvent = {
  type: 'list.completed';
  /** When it happened. */
  timestamp: string;
  data: ListCompletedEventData;
};

export type ListCompletedEventData = {
  list_id: string;
  /** Of the key that it was started with. */
  mode: 'live' | 'test';
  /** Addresses that the run checks. */
  count_total: number;
  /** Addresses that are answered. */
  count_checked: number;
  /** Credits that the list was charged. */
  credits_used: number;
};

export type ListPausedEvent = {
  type: 'list.paused';
  /** When it happened. */
  timestamp: string;
  data: ListPausedEventData;
};

export type ListPausedEventData = {
  list_id: string;
  /** Of the key that it was started with. */
  mode: 'live' | 'test';
  /** Addresses that the run checks. */
  count_total: number;
  /** Addresses that are answered. */
  count_checked: number;
};

/** The secret was rotated. */
export type RotatedSecret = {
  /** The new secret. It is not shown again. */
  secret: string;
  /** Until then messages are signed with both. */
  previous_secret_until: string;
};

export type TaskCompletedEvent = {
  type: 'task.completed';
  /** When it happened. */
  timestamp: string;
  data: TaskCompletedEventData;
};

export type TaskCompletedEventData = {
  task_id: string;
  /** Of the key that it was started with. */
  mode: 'live' | 'test';
  /** Addresses in the task. */
  count_total: number;
  /** Credits that the task was charged. */
  credits_used: number;
};

/** The endpoint. */
export type Webhook = {
  webhook_id: string;
  url: string;
  events: ('task.completed' | 'list.completed' | 'list.paused' | 'credits.low')[];
  /** The threshold of `credits.low`; null where that is not wanted. */
  credits_low_at: number | null;
  /** Nothing is written for an endpoint that is off. */
  enabled: boolean;
  /** Since when it is off. */
  disabled_at: string | null;
  /**
   * Its owner switched it off; it answered 410; or a delivery used up its ten attempts over 75 hours
   * while nothing got through.
   */
  disabled_because: 'owner' | 'gone' | 'failing' | null;
  /** Since when every attempt has failed. */
  failing_since: string | null;
  /** Until when messages are signed with the secret before too. */
  previous_secret_until: string | null;
  /** When it was created. */
  created_at: string;
};

export type WebhookAttempt = {
  /** When it began. */
  at: string;
  duration_ms: number;
  /** `delivered`: an answer of 2xx; `answered`: any other answer. */
  outcome:
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
  /** The status of the answer, if there was one. */
  status: number | null;
};

/** Absent properties stay as they are. */
export type WebhookChange = {
  /**
   * URL that events are posted to: `https`, on port 443 or from 1024 on. `http` only where the
   * operator has opened a block of addresses, and only to those.
   */
  url?: string;
  /** The events it is told of. */
  events?: ('task.completed' | 'list.completed' | 'list.paused' | 'credits.low')[];
  /** `credits.low` is told when fewer credits than this are available; 100 unless given. */
  credits_low_at?: number;
  /** Nothing is written for an endpoint that is off. */
  enabled?: boolean;
};

/** The delivery. */
export type WebhookDelivery = {
  delivery_id: string;
  /** The `webhook-id` of the message: the same at each attempt and when it is sent again. */
  event_id: string;
  type: 'task.completed' | 'list.completed' | 'list.paused' | 'credits.low' | 'webhook.test';
  state: 'pending' | 'delivered' | 'failed';
  /** The first one first, at most ten. */
  attempts: WebhookAttempt[];
  /** When it is tried again, or was to be sent first. */
  next_attempt_at: string | null;
  /** The beginning of the last answer, 1 kB at most. */
  response: string | null;
  /** The body as it is sent, byte by byte. */
  body: string;
  /** When the event was written. */
  created_at: string;
  /** When it was delivered or given up. */
  ended_at: string | null;
};

/** Newest first. */
export type WebhookDeliveryPage = {
  deliveries: WebhookDelivery[];
  /** Send it as `before` to get the next page; null on the last page. */
  next: string | null;
};

/** All endpoints of the account, oldest first. */
export type WebhookList = {
  webhooks: Webhook[];
};

export type WebhookRequest = {
  /**
   * URL that events are posted to: `https`, on port 443 or from 1024 on. `http` only where the
   * operator has opened a block of addresses, and only to those.
   */
  url: string;
  /** The events it is told of. */
  events: ('task.completed' | 'list.completed' | 'list.paused' | 'credits.low')[];
  /** `credits.low` is told when fewer credits than this are available; 100 unless given. */
  credits_low_at?: number;
  /** Nothing is written for an endpoint that is off. */
  enabled?: boolean;
};

export type WebhookTestEvent = {
  type: 'webhook.test';
  /** When it happened. */
  timestamp: string;
  data: WebhookTestEventData;
};

export type WebhookTestEventData = {
  webhook_id: string;
};
