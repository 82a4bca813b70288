import { namesChange, readKeyLimits } from '../../../core/keys/read-key-limits.ts';
import type { ApiServer, RouteParts } from '../../../core/http/routes/http-parts.ts';
import { accountKeyPath, accountKeysPath } from './account-paths.ts';
import { presentCreatedKey, presentKey } from './present-account.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import { callerOf } from '../../../core/http/pipeline/request-context.ts';
import {
  accountKeySchema,
  createdKeySchema,
  keyChangeSchema,
  keyListSchema,
  keyRequestSchema,
} from './account-schemas.ts';
import { accountReasons, errorResponses } from '../../../core/http/schemas/errors.ts';
import { creditsHeader, requestIdHeader } from '../../../core/http/schemas/headers.ts';
import { csrfHeaders, keyParameters } from '../../../core/http/schemas/page-parameters.ts';
import { isId, isStorable } from '../../../core/http/parameters/storable-text.ts';
import { byKey } from '../../../core/http/schemas/security.ts';
import type { AccountHttp } from '../account-actions.ts';

/**
 * The keys of an account, managed by the holder of any of them; a limited key gives to others only what it has itself
 * (see keys/change-key.ts).
 */
const described = { tags: ['Account'] };
const reading = { ...described, security: byKey('account:read') };
const changing = { ...described, security: byKey('account:write') };
const headers = { ...requestIdHeader, ...creditsHeader('Always 0: keys cost nothing') };
const changeReasons = ['invalid_request', ...accountReasons, 'csrf_token_mismatch'] as const;

const listRoute = {
  ...reading,
  operationId: 'listKeys',
  summary: 'The keys of the account',
  description: 'All that are not deleted, with their limits and last use; never the keys themselves.',
  response: { 200: { ...keyListSchema, headers }, ...errorResponses(accountReasons) },
};

const createRoute = {
  ...changing,
  operationId: 'createKey',
  summary: 'Create a key',
  description:
    'The key is shown in this response only. An account has at most 100 keys. Limits are optional; a key that has limits itself creates only keys within them, and with a cap of credits only test keys.',
  headers: csrfHeaders,
  body: keyRequestSchema,
  response: {
    201: { ...createdKeySchema, headers },
    ...errorResponses([...changeReasons, 'live_key_required', 'too_many_keys']),
  },
};

const changeRoute = {
  ...changing,
  operationId: 'changeKey',
  summary: 'Change the name or the limits of a key',
  description:
    'What is not named stays as it is; `null` takes a limit away. It holds in every process within a second.',
  headers: csrfHeaders,
  params: keyParameters,
  body: keyChangeSchema,
  response: {
    200: { ...accountKeySchema, headers },
    ...errorResponses([...changeReasons, 'live_key_required', 'key_not_found']),
  },
};

const deleteRoute = {
  ...changing,
  operationId: 'deleteKey',
  summary: 'Delete a key',
  description: 'The key stops working within a second, and so do the sessions opened with it.',
  headers: csrfHeaders,
  params: keyParameters,
  response: {
    204: { type: 'null', description: 'The key is deleted', headers },
    ...errorResponses([...changeReasons, 'live_key_required', 'key_not_found']),
  },
};

export function addAccountKeys(
  server: ApiServer,
  { parts, authenticateRequest }: RouteParts<AccountHttp>,
): void {
  const [toRead, toChange] = [
    authenticateRequest('account', 'account:read'),
    authenticateRequest('account', 'account:write'),
  ];
  server.route({
    method: 'GET',
    url: accountKeysPath,
    schema: listRoute,
    onRequest: toRead,
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const keys = await parts.account.keys(caller);
      return reply.code(200).send({ keys: keys.map((key) => presentKey(key, caller)) });
    },
  });
  server.route({
    method: 'POST',
    url: accountKeysPath,
    schema: createRoute,
    onRequest: toChange,
    handler: async (request, reply) => {
      const { name, mode = 'live' } = request.body;
      const limits = readKeyLimits(request.body);
      if (!isStorable(name) || limits === undefined) return refuse(reply, 'invalid_request');
      const answer = await parts.account.createKey(callerOf(request), { mode, name, limits });
      if (answer.kind === 'account_not_found') throw new Error('a caller without an account');
      if (answer.kind !== 'issued') return refuse(reply, answer.kind);
      return reply.code(201).send(presentCreatedKey(answer));
    },
  });
  server.route({
    method: 'PATCH',
    url: accountKeyPath,
    schema: changeRoute,
    onRequest: toChange,
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const { name } = request.body;
      const limits = readKeyLimits(request.body);
      if (!isStorable(name) || limits === undefined || !namesChange(name, limits))
        return refuse(reply, 'invalid_request');
      const { keyId } = request.params;
      if (!isId(keyId)) return refuse(reply, 'key_not_found');
      const answer = await parts.account.changeKey(caller, { keyId, name, limits });
      if (answer.kind !== 'changed') return refuse(reply, answer.kind);
      return reply.code(200).send(presentKey(answer.key, caller));
    },
  });
  server.route({
    method: 'DELETE',
    url: accountKeyPath,
    schema: deleteRoute,
    onRequest: toChange,
    handler: async (request, reply) => {
      const { keyId } = request.params;
      if (!isId(keyId)) return refuse(reply, 'key_not_found');
      const answer = await parts.account.deleteKey(callerOf(request), keyId);
      return answer.kind === 'deleted' ? reply.code(204).send() : refuse(reply, answer.kind);
    },
  });
}
