import type {
  CreatedWebhook,
  RotatedSecret,
  WantedEventType,
  Webhook,
  WebhookAttemptOutcome,
  WebhookChange,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookEventType,
  WebhookList,
  WebhookRequest,
} from '@mailproof/client';
import { contractLimits } from '@mailproof/client';
import { Type, type Static } from 'typebox';
import { webhookLimits } from '../webhook-limits.ts';
import { nextSchema } from '../../account/routes/account-schemas.ts';
import type { SameType } from '../../../core/http/schemas/same-type.ts';
import { stringEnum } from '../../../core/http/schemas/string-enum.ts';

const time = (description: string) => Type.String({ description });
const timeOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });

const wantedEventTypes = [
  'task.completed',
  'list.completed',
  'list.paused',
  'credits.low',
] as const satisfies readonly WantedEventType[];

const eventTypes = [...wantedEventTypes, 'webhook.test'] as const satisfies readonly WebhookEventType[];

const outcomes = [
  'delivered',
  'answered',
  'timeout',
  'connection_failed',
  'closed_early',
  'tls_failed',
  'name_not_found',
  'dns_failed',
  'forbidden_address',
  'https_required',
] as const satisfies readonly WebhookAttemptOutcome[];

const urlSchema = Type.String({
  minLength: 1,
  maxLength: webhookLimits.urlCharacters,
  description:
    'URL that events are posted to: `https`, on port 443 or from 1024 on. `http` only where the operator has opened a block of addresses, and only to those',
});
const eventsSchema = Type.Array(stringEnum(wantedEventTypes), {
  minItems: 1,
  maxItems: wantedEventTypes.length,
  description: 'The events it is told of',
});
const thresholdSchema = Type.Integer({
  minimum: 1,
  maximum: contractLimits.credits,
  description: '`credits.low` is told when fewer credits than this are available; 100 unless given',
});
const enabledSchema = Type.Boolean({ description: 'Nothing is written for an endpoint that is off' });

const example: Webhook = {
  webhook_id: '3f2c8a9e-5b1d-4c7e-9a64-0d7e1b2c3f45',
  url: 'https://hooks.example.com/mailproof',
  events: ['task.completed', 'credits.low'],
  credits_low_at: 500,
  enabled: true,
  disabled_at: null,
  disabled_because: null,
  failing_since: null,
  previous_secret_until: null,
  created_at: '2026-01-02T03:04:05.678Z',
};

const properties = {
  webhook_id: Type.String(),
  url: Type.String(),
  events: Type.Array(stringEnum(wantedEventTypes)),
  credits_low_at: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The threshold of `credits.low`; null where that is not wanted',
  }),
  enabled: enabledSchema,
  disabled_at: timeOrNull('Since when it is off'),
  disabled_because: Type.Unsafe<Webhook['disabled_because']>({
    type: ['string', 'null'],
    enum: ['owner', 'gone', 'failing', null],
    description:
      'Its owner switched it off; it answered 410; or a delivery used up its ten attempts over 75 hours while nothing got through',
  }),
  failing_since: timeOrNull('Since when every attempt has failed'),
  previous_secret_until: timeOrNull('Until when messages are signed with the secret before too'),
  created_at: time('When it was created'),
};

export const webhookSchema = Type.Object(properties, {
  title: 'Webhook',
  description: 'The endpoint',
  additionalProperties: false,
  examples: [example],
});

export const webhookListSchema = Type.Object(
  { webhooks: Type.Array(webhookSchema) },
  {
    title: 'WebhookList',
    description: 'All endpoints of the account, oldest first',
    additionalProperties: false,
    examples: [{ webhooks: [example] } satisfies WebhookList],
  },
);

const exampleSecret = 'whsec_Zm9yIHRoZSBleGFtcGxlIG9ubHksIDI0IGJ5dGVz';

export const createdWebhookSchema = Type.Object(
  {
    ...properties,
    secret: Type.String({ description: 'Secret that messages are signed with. It is not shown again' }),
  },
  {
    title: 'CreatedWebhook',
    description: 'The endpoint was created',
    additionalProperties: false,
    examples: [{ ...example, secret: exampleSecret } satisfies CreatedWebhook],
  },
);

export const rotatedSecretSchema = Type.Object(
  {
    secret: Type.String({ description: 'The new secret. It is not shown again' }),
    previous_secret_until: time('Until then messages are signed with both'),
  },
  {
    title: 'RotatedSecret',
    description: 'The secret was rotated',
    additionalProperties: false,
    examples: [
      { secret: exampleSecret, previous_secret_until: '2026-01-03T03:04:05.678Z' } satisfies RotatedSecret,
    ],
  },
);

export const webhookRequestSchema = Type.Object(
  {
    url: urlSchema,
    events: eventsSchema,
    credits_low_at: Type.Optional(thresholdSchema),
    enabled: Type.Optional(enabledSchema),
  },
  {
    title: 'WebhookRequest',
    examples: [{ url: example.url, events: example.events, credits_low_at: 500 } satisfies WebhookRequest],
  },
);

export const webhookChangeSchema = Type.Object(
  {
    url: Type.Optional(urlSchema),
    events: Type.Optional(eventsSchema),
    credits_low_at: Type.Optional(thresholdSchema),
    enabled: Type.Optional(enabledSchema),
  },
  {
    title: 'WebhookChange',
    description: 'Absent properties stay as they are',
    examples: [{ enabled: false } satisfies WebhookChange],
  },
);

const exampleDelivery: WebhookDelivery = {
  delivery_id: '019a7c52-6e0b-7d1f-8a3c-5b6d7e8f9a0b',
  event_id: 'msg_0b6f2f0e-8a53-4c1e-9d59-4f6a3a1f7c11',
  type: 'webhook.test',
  state: 'delivered',
  attempts: [{ at: '2026-01-02T03:04:06.000Z', duration_ms: 87, outcome: 'delivered', status: 200 }],
  next_attempt_at: null,
  response: 'ok',
  body: '{"type":"webhook.test","timestamp":"2026-01-02T03:04:05.678Z","data":{"webhook_id":"3f2c8a9e-5b1d-4c7e-9a64-0d7e1b2c3f45"}}',
  created_at: '2026-01-02T03:04:05.678Z',
  ended_at: '2026-01-02T03:04:06.087Z',
};

const attemptSchema = Type.Object(
  {
    at: time('When it began'),
    duration_ms: Type.Integer({ minimum: 0 }),
    outcome: stringEnum(outcomes, {
      description: '`delivered`: an answer of 2xx; `answered`: any other answer',
    }),
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'The status of the answer, if there was one',
    }),
  },
  { title: 'WebhookAttempt', additionalProperties: false },
);

export const deliverySchema = Type.Object(
  {
    delivery_id: Type.String(),
    event_id: Type.String({
      description: 'The `webhook-id` of the message: the same at each attempt and when it is sent again',
    }),
    type: stringEnum(eventTypes),
    state: stringEnum(['pending', 'delivered', 'failed']),
    attempts: Type.Array(attemptSchema, { description: 'The first one first, at most ten' }),
    next_attempt_at: timeOrNull('When it is tried again, or was to be sent first'),
    response: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The beginning of the last answer, 1 kB at most',
    }),
    body: Type.String({ description: 'The body as it is sent, byte by byte' }),
    created_at: time('When the event was written'),
    ended_at: timeOrNull('When it was delivered or given up'),
  },
  {
    title: 'WebhookDelivery',
    description: 'The delivery',
    additionalProperties: false,
    examples: [exampleDelivery],
  },
);

export const deliveryPageSchema = Type.Object(
  { deliveries: Type.Array(deliverySchema), next: nextSchema },
  {
    title: 'WebhookDeliveryPage',
    description: 'Newest first',
    additionalProperties: false,
    examples: [{ deliveries: [exampleDelivery], next: null } satisfies WebhookDeliveryPage],
  },
);

export const webhookParameters = Type.Object({
  webhookId: Type.String({ description: 'The `webhook_id` of the endpoint' }),
});

export const deliveryParameters = Type.Object({
  ...webhookParameters.properties,
  deliveryId: Type.String({ description: 'The `delivery_id` of the delivery' }),
});

true satisfies SameType<Static<typeof webhookSchema>, Webhook>;
true satisfies SameType<Static<typeof createdWebhookSchema>, CreatedWebhook>;
true satisfies SameType<Static<typeof rotatedSecretSchema>, RotatedSecret>;
true satisfies SameType<Static<typeof webhookListSchema>, WebhookList>;
true satisfies SameType<Static<typeof webhookRequestSchema>, WebhookRequest>;
true satisfies SameType<Static<typeof webhookChangeSchema>, WebhookChange>;
true satisfies SameType<Static<typeof deliveryPageSchema>, WebhookDeliveryPage>;
