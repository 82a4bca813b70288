import { namesChange, readKeyLimits } from '../../../core/keys/read-key-limits.ts';
import type { ApiServer } from '../../../core/http/routes/http-parts.ts';
import { adminPath } from '../../../core/http/pipeline/paths.ts';
import { presentCreatedKey, presentKey } from '../../account/routes/present-account.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import {
  accountKeySchema,
  createdKeySchema,
  keyChangeSchema,
  keyListSchema,
  keyRequestSchema,
} from '../../account/routes/account-schemas.ts';
import { accountKeyParameters, accountParameters } from './admin-schemas.ts';
import { csrfHeaders } from '../../../core/http/schemas/page-parameters.ts';
import { isId, isStorable } from '../../../core/http/parameters/storable-text.ts';
import { adminErrors, adminRoute, answering, type AdminRouteParts } from './admin-route.ts';

/** The keys of any account: list, create, change, delete. */
const listRoute = {
  ...adminRoute,
  operationId: 'adminListKeys',
  summary: 'The keys of an account',
  description: 'All that are not deleted, with their limits and last use; never the keys themselves.',
  params: accountParameters,
  response: { 200: answering(keyListSchema), ...adminErrors('account_not_found') },
};

const createRoute = {
  ...adminRoute,
  operationId: 'adminCreateKey',
  summary: 'Create a key for an account',
  description: 'The key is shown in this response only. An account has at most 100 keys.',
  params: accountParameters,
  headers: csrfHeaders,
  body: keyRequestSchema,
  response: {
    201: answering(createdKeySchema),
    ...adminErrors('invalid_request', 'csrf_token_mismatch', 'account_not_found', 'too_many_keys'),
  },
};

const changeRoute = {
  ...adminRoute,
  operationId: 'adminChangeKey',
  summary: 'Change the name or the limits of a key of an account',
  description:
    'What is not named stays as it is; `null` takes a limit away. It holds in every process within a second.',
  params: accountKeyParameters,
  headers: csrfHeaders,
  body: keyChangeSchema,
  response: {
    200: answering(accountKeySchema),
    ...adminErrors('invalid_request', 'csrf_token_mismatch', 'key_not_found'),
  },
};

const deleteRoute = {
  ...adminRoute,
  operationId: 'adminDeleteKey',
  summary: 'Delete a key of an account',
  description: 'The key stops working within a second, and so do the sessions opened with it.',
  params: accountKeyParameters,
  headers: csrfHeaders,
  response: {
    204: answering({ type: 'null', description: 'The key is deleted' }),
    ...adminErrors('invalid_request', 'csrf_token_mismatch', 'key_not_found'),
  },
};

/** The operator asks with no key at all. */
const noKey = { keyId: '' };

export function addAdminAccountKeys(server: ApiServer, { operator, onRequest }: AdminRouteParts): void {
  const keysPath = `${adminPath}/accounts/:accountId/keys`;
  server.route({
    method: 'GET',
    url: keysPath,
    schema: listRoute,
    onRequest,
    handler: async (request, reply) => {
      const { accountId } = request.params;
      const keys = isId(accountId) ? await operator.listKeys(accountId) : undefined;
      if (keys === undefined) return refuse(reply, 'account_not_found');
      return reply.code(200).send({ keys: keys.map((key) => presentKey(key, noKey)) });
    },
  });
  server.route({
    method: 'POST',
    url: keysPath,
    schema: createRoute,
    onRequest,
    handler: async (request, reply) => {
      const { accountId } = request.params;
      const { name, mode = 'live' } = request.body;
      const limits = readKeyLimits(request.body);
      if (!isStorable(name) || limits === undefined) return refuse(reply, 'invalid_request');
      if (!isId(accountId)) return refuse(reply, 'account_not_found');
      const answer = await operator.issueKey({ accountId, mode, name, limits });
      if (answer.kind !== 'issued') return refuse(reply, answer.kind);
      return reply.code(201).send(presentCreatedKey(answer));
    },
  });
  server.route({
    method: 'PATCH',
    url: `${keysPath}/:keyId`,
    schema: changeRoute,
    onRequest,
    handler: async (request, reply) => {
      const { accountId, keyId } = request.params;
      const { name } = request.body;
      const limits = readKeyLimits(request.body);
      if (!isStorable(name) || limits === undefined || !namesChange(name, limits))
        return refuse(reply, 'invalid_request');
      if (!isId(accountId) || !isId(keyId)) return refuse(reply, 'key_not_found');
      const answer = await operator.changeKey({ accountId, keyId, name, limits });
      if (answer.kind !== 'changed') return refuse(reply, answer.kind);
      return reply.code(200).send(presentKey(answer.key, noKey));
    },
  });
  server.route({
    method: 'DELETE',
    url: `${keysPath}/:keyId`,
    schema: deleteRoute,
    onRequest,
    handler: async (request, reply) => {
      const { accountId, keyId } = request.params;
      if (!isId(accountId) || !isId(keyId)) return refuse(reply, 'key_not_found');
      const answer = await operator.deleteKey({ accountId, keyId });
      return answer.kind === 'deleted' ? reply.code(204).send() : refuse(reply, answer.kind);
    },
  });
}
