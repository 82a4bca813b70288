import { deliveryCursor, deliveryPlace } from './delivery-cursors.ts';
import { readPage } from '../../../core/http/parameters/read-page.ts';
import { webhookDeliveriesPath, webhookDeliverySendPath, webhookTestPath } from './webhook-paths.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import { callerOf } from '../../../core/http/pipeline/request-context.ts';
import { presentDelivery } from './present-webhook.ts';
import { accountReasons, errorResponses } from '../../../core/http/schemas/errors.ts';
import { creditsHeader, requestIdHeader } from '../../../core/http/schemas/headers.ts';
import { csrfHeaders, pageQuery } from '../../../core/http/schemas/page-parameters.ts';
import { byKey } from '../../../core/http/schemas/security.ts';
import {
  deliveryPageSchema,
  deliveryParameters,
  deliverySchema,
  webhookParameters,
} from './webhook-schemas.ts';
import type { ApiServer, RouteParts } from '../../../core/http/routes/http-parts.ts';
import { isUuid } from '../../../core/store/is-uuid.ts';
import { ownerOf } from './endpoints.ts';
import type { WebhookHttp } from '../webhook-actions.ts';

/** What was sent to an endpoint, and having something sent: a test message, or one of before again. */
const described = { tags: ['Webhooks'] };
const reading = { ...described, security: byKey('account:read') };
const changing = { ...described, security: byKey('account:write') };
const headers = { ...requestIdHeader, ...creditsHeader('Always 0: webhooks cost nothing') };
const sendReasons = [
  'invalid_request',
  'live_key_required',
  ...accountReasons,
  'csrf_token_mismatch',
  'webhook_not_found',
  'webhook_disabled',
] as const;

const deliveriesRoute = {
  ...reading,
  operationId: 'listWebhookDeliveries',
  summary: 'What was sent to an endpoint, newest first',
  description: 'Deliveries are kept for 15 days after their end.',
  params: webhookParameters,
  querystring: pageQuery,
  response: {
    200: { ...deliveryPageSchema, headers },
    ...errorResponses(['invalid_request', ...accountReasons, 'webhook_not_found']),
  },
};

const testRoute = {
  ...changing,
  operationId: 'testWebhook',
  summary: 'Send a test message',
  description:
    'Sends `webhook.test` to the endpoint, signed like any other message. An account may send ten at once and one a minute; more is 429 `rate_limited`. Test messages are kept for a day after their end.',
  headers: csrfHeaders,
  params: webhookParameters,
  response: { 202: { ...deliverySchema, headers }, ...errorResponses(sendReasons) },
};

const sendRoute = {
  ...changing,
  operationId: 'resendWebhookDelivery',
  summary: 'Send a message again',
  description:
    'A new delivery of the same message, with the same `webhook-id`. An account may have a hundred sent again at once and ten a minute; more is 429 `rate_limited`.',
  headers: csrfHeaders,
  params: deliveryParameters,
  response: {
    202: { ...deliverySchema, headers },
    ...errorResponses([...sendReasons, 'delivery_not_found']),
  },
};

export function addWebhookDeliveries(
  server: ApiServer,
  { parts, authenticateRequest }: RouteParts<WebhookHttp>,
): void {
  const [toRead, toChange] = [
    authenticateRequest('account', 'account:read'),
    authenticateRequest('account', 'account:write'),
  ];
  const { webhooks } = parts;
  server.route({
    method: 'GET',
    url: webhookDeliveriesPath,
    schema: deliveriesRoute,
    onRequest: toRead,
    handler: async (request, reply) => {
      const page = readPage(request.query, deliveryPlace);
      if (page.kind === 'invalid') return refuse(reply, 'invalid_request');
      const { accountId, mode } = callerOf(request);
      const { webhookId } = request.params;
      if (!isUuid(webhookId)) return refuse(reply, 'webhook_not_found');
      const { limit, from: before } = page;
      const found = await webhooks.deliveries({ accountId, mode, webhookId }, { limit, before });
      if (found === undefined) return refuse(reply, 'webhook_not_found');
      const next = found.next === undefined ? null : deliveryCursor(found.next);
      return reply.code(200).send({ deliveries: found.deliveries.map(presentDelivery), next });
    },
  });
  server.route({
    method: 'POST',
    url: webhookTestPath,
    schema: testRoute,
    onRequest: toChange,
    handler: async (request, reply) => {
      const owner = ownerOf(request);
      if (owner === undefined) return refuse(reply, 'live_key_required');
      const { webhookId } = request.params;
      if (!isUuid(webhookId)) return refuse(reply, 'webhook_not_found');
      const answer = await webhooks.sendTest(owner, webhookId);
      if (answer.kind === 'sends_used_up') return refuse(reply, 'rate_limited', answer.retryAfterSeconds);
      if (answer.kind !== 'queued') return refuse(reply, answer.kind);
      return reply.code(202).send(presentDelivery(answer.delivery));
    },
  });
  server.route({
    method: 'POST',
    url: webhookDeliverySendPath,
    schema: sendRoute,
    onRequest: toChange,
    handler: async (request, reply) => {
      const owner = ownerOf(request);
      if (owner === undefined) return refuse(reply, 'live_key_required');
      const { webhookId, deliveryId } = request.params;
      if (!isUuid(webhookId)) return refuse(reply, 'webhook_not_found');
      if (!isUuid(deliveryId)) return refuse(reply, 'delivery_not_found');
      const answer = await webhooks.sendAgain(owner, webhookId, deliveryId);
      if (answer.kind === 'sends_used_up') return refuse(reply, 'rate_limited', answer.retryAfterSeconds);
      if (answer.kind !== 'queued') return refuse(reply, answer.kind);
      return reply.code(202).send(presentDelivery(answer.delivery));
    },
  });
}
