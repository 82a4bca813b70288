import type { FormKey as PresentedFormKey } from '@mailproof/client';
import type { FormKey } from '../form-keys.ts';
import { readOrigin } from '../read-origin.ts';
import { isId, isStorable } from '../../../core/http/parameters/storable-text.ts';
import { formKeyPath, formKeysPath } from './form-paths.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import { callerOf } from '../../../core/http/pipeline/request-context.ts';
import { accountReasons, errorResponses } from '../../../core/http/schemas/errors.ts';
import { formKeyListSchema, formKeyParameters, formKeyRequestSchema, formKeySchema } from './form-schemas.ts';
import { creditsHeader, requestIdHeader } from '../../../core/http/schemas/headers.ts';
import { csrfHeaders } from '../../../core/http/schemas/page-parameters.ts';
import { byKey } from '../../../core/http/schemas/security.ts';
import type { ApiServer, RouteParts } from '../../../core/http/routes/http-parts.ts';
import type { FormHttp } from '../form-actions.ts';

/** The publishable keys of an account. */
const described = { tags: ['Forms'] };
const reading = { ...described, security: byKey('account:read') };
const changing = { ...described, security: byKey('account:write') };
const headers = { ...requestIdHeader, ...creditsHeader('Always 0: keys cost nothing') };
const changeReasons = [
  'invalid_request',
  ...accountReasons,
  'csrf_token_mismatch',
  'live_key_required',
] as const;

const listRoute = {
  ...reading,
  operationId: 'listFormKeys',
  summary: 'The publishable keys of the account',
  description: 'All that are not deleted, with the origins that they are good for.',
  response: { 200: { ...formKeyListSchema, headers }, ...errorResponses(accountReasons) },
};

const createRoute = {
  ...changing,
  operationId: 'createFormKey',
  summary: 'Create a publishable key',
  description: 'It is good for `POST /api/v1/form-check` from the pages it names, and for nothing else.',
  headers: csrfHeaders,
  body: formKeyRequestSchema,
  response: { 201: { ...formKeySchema, headers }, ...errorResponses([...changeReasons, 'too_many_keys']) },
};

const deleteRoute = {
  ...changing,
  operationId: 'deleteFormKey',
  summary: 'Delete a publishable key',
  description: 'The key stops working within a second.',
  headers: csrfHeaders,
  params: formKeyParameters,
  response: {
    204: { type: 'null', description: 'The key is deleted', headers },
    ...errorResponses([...changeReasons, 'key_not_found']),
  },
};

const usualChecks = { perDay: 10_000, perVisitor: 100 };

export function addFormKeys(
  server: ApiServer,
  { parts: { forms }, authenticateRequest }: RouteParts<FormHttp>,
): void {
  const [toRead, toChange] = [
    authenticateRequest('account', 'account:read'),
    authenticateRequest('account', 'account:write'),
  ];
  server.route({
    method: 'GET',
    url: formKeysPath,
    schema: listRoute,
    onRequest: toRead,
    handler: async (request, reply) => {
      const keys = await forms.keys(callerOf(request));
      return reply.code(200).send({ form_keys: keys.map(present) });
    },
  });
  server.route({
    method: 'POST',
    url: formKeysPath,
    schema: createRoute,
    onRequest: toChange,
    handler: async (request, reply) => {
      const { name = 'Sign-up form', checks_per_day, checks_per_visitor } = request.body;
      const origins = request.body.origins.map(readOrigin);
      if (!isStorable(name) || !areKnown(origins)) return refuse(reply, 'invalid_request');
      const answer = await forms.createKey(callerOf(request), {
        name,
        origins,
        checksPerDay: checks_per_day ?? usualChecks.perDay,
        checksPerVisitor: checks_per_visitor ?? usualChecks.perVisitor,
      });
      return answer.kind === 'created' ? reply.code(201).send(present(answer)) : refuse(reply, answer.kind);
    },
  });
  server.route({
    method: 'DELETE',
    url: formKeyPath,
    schema: deleteRoute,
    onRequest: toChange,
    handler: async (request, reply) => {
      const { formKey } = request.params;
      if (!isId(formKey)) return refuse(reply, 'key_not_found');
      const answer = await forms.deleteKey(callerOf(request), formKey);
      return answer.kind === 'deleted' ? reply.code(204).send() : refuse(reply, answer.kind);
    },
  });
}

function areKnown(origins: (string | undefined)[]): origins is string[] {
  return origins.every((origin) => origin !== undefined);
}

function present({ key, name, origins, ...limits }: FormKey): PresentedFormKey {
  return {
    form_key: key,
    name,
    origins,
    checks_per_day: limits.checksPerDay,
    checks_per_visitor: limits.checksPerVisitor,
    created_at: new Date(limits.createdAt).toISOString(),
  };
}
