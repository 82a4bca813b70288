import type { FastifyRequest } from 'fastify';
import type { Owner } from '../webhook-actions.ts';
import { webhookPath, webhookSecretPath, webhooksPath } from './webhook-paths.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import { actorOf } from '../../../core/keys/authenticate.ts';
import { callerOf } from '../../../core/http/pipeline/request-context.ts';
import { isoTime } from '../../account/routes/present-account.ts';
import { presentWebhook } from './present-webhook.ts';
import { accountReasons, errorResponses } from '../../../core/http/schemas/errors.ts';
import { creditsHeader, requestIdHeader } from '../../../core/http/schemas/headers.ts';
import { csrfHeaders } from '../../../core/http/schemas/page-parameters.ts';
import { byKey } from '../../../core/http/schemas/security.ts';
import {
  createdWebhookSchema,
  rotatedSecretSchema,
  webhookChangeSchema,
  webhookListSchema,
  webhookParameters,
  webhookRequestSchema,
  webhookSchema,
} from './webhook-schemas.ts';
import type { ApiServer, RouteParts } from '../../../core/http/routes/http-parts.ts';
import { isUuid } from '../../../core/store/is-uuid.ts';
import type { WebhookHttp } from '../webhook-actions.ts';

/** The endpoints of an account: told of events as they happen (Standard Webhooks 1.0.0). */
const described = { tags: ['Webhooks'] };
const reading = { ...described, security: byKey('account:read') };
const changing = { ...described, security: byKey('account:write') };
const headers = { ...requestIdHeader, ...creditsHeader('Always 0: webhooks cost nothing') };
const changeReasons = [
  'invalid_request',
  'live_key_required',
  ...accountReasons,
  'csrf_token_mismatch',
] as const;

const listRoute = {
  ...reading,
  operationId: 'listWebhooks',
  summary: 'The endpoints of the account',
  description: 'With their events and state, newest first; never their secrets. A test key sees none.',
  response: { 200: { ...webhookListSchema, headers }, ...errorResponses(accountReasons) },
};

const createRoute = {
  ...changing,
  operationId: 'createWebhook',
  summary: 'Create an endpoint',
  description: 'The secret is shown in this response only. An account has at most 10 endpoints.',
  headers: csrfHeaders,
  body: webhookRequestSchema,
  response: {
    201: { ...createdWebhookSchema, headers },
    ...errorResponses([...changeReasons, 'invalid_webhook_url', 'too_many_webhooks']),
  },
};

const readRoute = {
  ...reading,
  operationId: 'readWebhook',
  summary: 'One endpoint',
  description: 'Its URL, events and state; never its secret.',
  params: webhookParameters,
  response: {
    200: { ...webhookSchema, headers },
    ...errorResponses([...accountReasons, 'webhook_not_found']),
  },
};

const changeRoute = {
  ...changing,
  operationId: 'changeWebhook',
  summary: 'Change an endpoint, or switch it on or off',
  description: 'What waits for an endpoint that is switched off is given up; it can be sent again.',
  headers: csrfHeaders,
  params: webhookParameters,
  body: webhookChangeSchema,
  response: {
    200: { ...webhookSchema, headers },
    ...errorResponses([...changeReasons, 'invalid_webhook_url', 'webhook_not_found']),
  },
};

const deleteRoute = {
  ...changing,
  operationId: 'deleteWebhook',
  summary: 'Delete an endpoint with its deliveries',
  description: 'What still waits to be sent to it is given up.',
  headers: csrfHeaders,
  params: webhookParameters,
  response: {
    204: { type: 'null', description: 'The endpoint is deleted', headers },
    ...errorResponses([...changeReasons, 'webhook_not_found']),
  },
};

const rotateRoute = {
  ...changing,
  operationId: 'rotateWebhookSecret',
  summary: 'Rotate the secret of an endpoint',
  description: 'For a day messages carry a signature by each of the two secrets.',
  headers: csrfHeaders,
  params: webhookParameters,
  response: {
    200: { ...rotatedSecretSchema, headers },
    ...errorResponses([...changeReasons, 'webhook_not_found']),
  },
};

/** Whoever changes an endpoint holds a live key: a test key is given to machines that are trusted less. */
export function ownerOf(request: FastifyRequest): Owner | undefined {
  const caller = callerOf(request);
  return caller.mode === 'live' ? { accountId: caller.accountId, actor: actorOf(caller) } : undefined;
}

export function addWebhooks(
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
    url: webhooksPath,
    schema: listRoute,
    onRequest: toRead,
    handler: async (request, reply) => {
      const all = await webhooks.list(callerOf(request));
      return reply.code(200).send({ webhooks: all.map(presentWebhook) });
    },
  });
  server.route({
    method: 'POST',
    url: webhooksPath,
    schema: createRoute,
    onRequest: toChange,
    handler: async (request, reply) => {
      const owner = ownerOf(request);
      if (owner === undefined) return refuse(reply, 'live_key_required');
      const { url, events, credits_low_at: creditsLowAt, enabled = true } = request.body;
      const wanted = [...new Set(events)];
      const answer = await webhooks.create(owner, { url, events: wanted, creditsLowAt, enabled });
      if (answer.kind !== 'created') return refuse(reply, answer.kind);
      return reply.code(201).send({ ...presentWebhook(answer.webhook), secret: answer.secret });
    },
  });
  addWebhook(server, { parts, toRead, toChange });
}

type OneWebhookParts = {
  parts: RouteParts<WebhookHttp>['parts'];
  toRead: ReturnType<RouteParts['authenticateRequest']>;
  toChange: ReturnType<RouteParts['authenticateRequest']>;
};

function addWebhook(server: ApiServer, { parts: { webhooks }, toRead, toChange }: OneWebhookParts): void {
  server.route({
    method: 'GET',
    url: webhookPath,
    schema: readRoute,
    onRequest: toRead,
    handler: async (request, reply) => {
      const { accountId, mode } = callerOf(request);
      const { webhookId } = request.params;
      const webhook = isUuid(webhookId) ? await webhooks.read({ accountId, mode, webhookId }) : undefined;
      if (webhook === undefined) return refuse(reply, 'webhook_not_found');
      return reply.code(200).send(presentWebhook(webhook));
    },
  });
  server.route({
    method: 'PATCH',
    url: webhookPath,
    schema: changeRoute,
    onRequest: toChange,
    handler: async (request, reply) => {
      const owner = ownerOf(request);
      if (owner === undefined) return refuse(reply, 'live_key_required');
      const { webhookId } = request.params;
      if (!isUuid(webhookId)) return refuse(reply, 'webhook_not_found');
      const { url, events, credits_low_at: creditsLowAt, enabled } = request.body;
      const wanted = events && [...new Set(events)];
      const answer = await webhooks.change(owner, webhookId, { url, events: wanted, creditsLowAt, enabled });
      if (answer.kind !== 'changed') return refuse(reply, answer.kind);
      return reply.code(200).send(presentWebhook(answer.webhook));
    },
  });
  server.route({
    method: 'DELETE',
    url: webhookPath,
    schema: deleteRoute,
    onRequest: toChange,
    handler: async (request, reply) => {
      const owner = ownerOf(request);
      if (owner === undefined) return refuse(reply, 'live_key_required');
      const { webhookId } = request.params;
      if (!isUuid(webhookId)) return refuse(reply, 'webhook_not_found');
      const answer = await webhooks.remove(owner, webhookId);
      return answer.kind === 'deleted' ? reply.code(204).send() : refuse(reply, answer.kind);
    },
  });
  server.route({
    method: 'POST',
    url: webhookSecretPath,
    schema: rotateRoute,
    onRequest: toChange,
    handler: async (request, reply) => {
      const owner = ownerOf(request);
      if (owner === undefined) return refuse(reply, 'live_key_required');
      const { webhookId } = request.params;
      if (!isUuid(webhookId)) return refuse(reply, 'webhook_not_found');
      const answer = await webhooks.rotateSecret(owner, webhookId);
      if (answer.kind !== 'rotated') return refuse(reply, answer.kind);
      const { secret, previousUntil } = answer;
      return reply.code(200).send({ secret, previous_secret_until: isoTime(previousUntil) });
    },
  });
}
