import type { WebhookEvent, WebhookEventType } from '@mailproof/client';
import { Type, type Static, type TProperties } from 'typebox';
import { stringEnum } from '../../../core/http/schemas/string-enum.ts';
import { pascal } from '../../../core/http/schemas/name-schemas.ts';

/** Events posted to endpoints: the `webhooks` of the OpenAPI document (Standard Webhooks 1.0.0). */
const count = (description: string) => Type.Integer({ minimum: 0, description });
const mode = stringEnum(['live', 'test'], { description: 'Of the key that it was started with' });

function eventSchema<const EventType extends WebhookEventType, Data extends TProperties>(
  type: EventType,
  data: Data,
) {
  const title = `${pascal(type.replace('.', '_'))}Event`;
  return Type.Object(
    {
      type: Type.Literal(type),
      timestamp: Type.String({ description: 'When it happened' }),
      data: Type.Object(data, { title: `${title}Data`, additionalProperties: false }),
    },
    { title, additionalProperties: false },
  );
}

const listData = {
  list_id: Type.String(),
  mode,
  count_total: count('Addresses that the run checks'),
  count_checked: count('Addresses that are answered'),
};

const taskCompleted = eventSchema('task.completed', {
  task_id: Type.String(),
  mode,
  count_total: count('Addresses in the task'),
  credits_used: count('Credits that the task was charged'),
});
const listCompleted = eventSchema('list.completed', {
  ...listData,
  credits_used: count('Credits that the list was charged'),
});
const listPaused = eventSchema('list.paused', listData);
const creditsLow = eventSchema('credits.low', {
  available: count('Available now'),
  credits_low_at: Type.Integer({ minimum: 1, description: 'The threshold of the endpoint' }),
});
const webhookTest = eventSchema('webhook.test', { webhook_id: Type.String() });

type Described =
  | Static<typeof taskCompleted>
  | Static<typeof listCompleted>
  | Static<typeof listPaused>
  | Static<typeof creditsLow>
  | Static<typeof webhookTest>;
// The schemas describe exactly the events that are written.
true satisfies WebhookEvent extends Described ? true : never;
true satisfies Described extends WebhookEvent ? true : never;

const signatureHeaders = {
  'webhook-id': 'The id of the message: the same at each attempt. Keep it to know what you have seen before',
  'webhook-timestamp': 'When this attempt was made, in seconds since 1970',
  'webhook-signature':
    'One or more signatures, separated by spaces: `v1,` and the HMAC-SHA256 of `{id}.{timestamp}.{body}` in base64',
};

function operation(schema: object, id: string, summary: string) {
  return {
    post: {
      operationId: id,
      tags: ['Webhooks'],
      summary,
      parameters: Object.entries(signatureHeaders).map(([name, description]) => ({
        in: 'header',
        name,
        required: true,
        description,
        schema: { type: 'string' },
      })),
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: {
        '2XX': { description: 'The message was taken' },
        '410': { description: 'Nothing more is wanted: the endpoint is disabled' },
        default: { description: 'Anything else, redirects too, is tried again: ten attempts over 75 hours' },
      },
      security: [],
    },
  };
}

export const documentedWebhooks = {
  'task.completed': operation(taskCompleted, 'onTaskCompleted', 'A bulk task was completed'),
  'list.completed': operation(listCompleted, 'onListCompleted', 'A list was completed'),
  'list.paused': operation(listPaused, 'onListPaused', 'A list was paused'),
  'credits.low': operation(creditsLow, 'onCreditsLow', 'Fewer credits are available than the threshold'),
  'webhook.test': operation(webhookTest, 'onWebhookTest', 'A test message that was asked for'),
} satisfies Record<WebhookEventType, unknown>;
