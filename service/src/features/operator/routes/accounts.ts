import { contractLimits } from '@mailproof/client';
import type { ApiServer } from '../../../core/http/routes/http-parts.ts';
import { readIdempotencyKey } from '../../../core/http/parameters/idempotency-key.ts';
import { accountCursor, accountPlace } from './admin-cursors.ts';
import { adminPath } from '../../../core/http/pipeline/paths.ts';
import { presentAdminAccount } from './present-admin.ts';
import { fieldsOf, readPage } from '../../../core/http/parameters/read-page.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import {
  accountParameters,
  accountsQuery,
  adminAccountPageSchema,
  adminAccountRequestSchema,
  adminAccountSchema,
  adminGrantRequestSchema,
  adminAccountChangeSchema,
  adminUnfreezeRequestSchema,
} from './admin-schemas.ts';
import { csrfHeaders } from '../../../core/http/schemas/page-parameters.ts';
import { creationHeaders } from '../../../core/http/schemas/request-parameters.ts';
import { isId, isStorable } from '../../../core/http/parameters/storable-text.ts';
import { adminErrors, adminRoute, answering, type AdminRouteParts } from './admin-route.ts';

/** Accounts: list, search, create, look at, set the plan, grant, unfreeze. */
const listRoute = {
  ...adminRoute,
  operationId: 'adminListAccounts',
  summary: 'Accounts, newest first',
  description: 'Page by page, or those that `search` finds.',
  querystring: accountsQuery,
  response: { 200: answering(adminAccountPageSchema), ...adminErrors('invalid_request') },
};

const createRoute = {
  ...adminRoute,
  operationId: 'adminCreateAccount',
  summary: 'Create an account',
  description: 'Its plan is `paid` and its credits are 0 unless given. It has no key yet.',
  headers: csrfHeaders,
  body: adminAccountRequestSchema,
  response: {
    201: answering(adminAccountSchema),
    ...adminErrors('invalid_request', 'csrf_token_mismatch'),
  },
};

const readRoute = {
  ...adminRoute,
  operationId: 'adminReadAccount',
  summary: 'One account',
  description: 'Plan, credits and rate.',
  params: accountParameters,
  response: { 200: answering(adminAccountSchema), ...adminErrors('account_not_found') },
};

const planRoute = {
  ...adminRoute,
  operationId: 'adminChangeAccount',
  summary: 'Switch the plan of an account on or off, or set its rate',
  description: 'Takes effect within a second. Running work continues.',
  params: accountParameters,
  headers: csrfHeaders,
  body: adminAccountChangeSchema,
  response: {
    200: answering(adminAccountSchema),
    ...adminErrors('invalid_request', 'csrf_token_mismatch', 'account_not_found'),
  },
};

const grantRoute = {
  ...adminRoute,
  operationId: 'adminGrantCredits',
  summary: 'Grant credits to an account',
  description:
    'With an `Idempotency-Key` the grant is made once, however often and however late the request is repeated.',
  params: accountParameters,
  headers: creationHeaders,
  body: adminGrantRequestSchema,
  response: {
    200: answering(adminAccountSchema),
    ...adminErrors(
      'invalid_request',
      'csrf_token_mismatch',
      'account_not_found',
      'too_many_credits',
      'idempotency_mismatch',
    ),
  },
};

const unfreezeRoute = {
  ...adminRoute,
  operationId: 'adminUnfreezeAccount',
  summary: 'Unfreeze an account that the audit froze',
  description:
    'Its figures are accepted as they are: it is frozen again only for what goes wrong later. An account that is not frozen stays as it is.',
  params: accountParameters,
  headers: csrfHeaders,
  body: adminUnfreezeRequestSchema,
  response: {
    200: answering(adminAccountSchema),
    ...adminErrors('invalid_request', 'csrf_token_mismatch', 'account_not_found'),
  },
};

export function addAdminAccounts(server: ApiServer, parts: AdminRouteParts): void {
  addAccountList(server, parts);
  addUnfreezing(server, parts);
  addSingleAccount(server, parts);
}

const accountsPath = `${adminPath}/accounts`;

function addAccountList(server: ApiServer, { operator, onRequest }: AdminRouteParts): void {
  server.route({
    method: 'GET',
    url: accountsPath,
    schema: listRoute,
    onRequest,
    handler: async (request, reply) => {
      const page = readPage(request.query, accountPlace);
      const search = readSearch(fieldsOf(request.query)['search']);
      if (page.kind === 'invalid' || search.kind === 'invalid') return refuse(reply, 'invalid_request');
      const wanted = { limit: page.limit, after: page.from, search: search.text };
      const { accounts, next } = await operator.findAccounts(wanted);
      return reply.code(200).send({
        accounts: accounts.map(presentAdminAccount),
        next: next === undefined ? null : accountCursor(next),
      });
    },
  });
  server.route({
    method: 'POST',
    url: accountsPath,
    schema: createRoute,
    onRequest,
    handler: async (request, reply) => {
      const { name, plan = 'paid', credits = 0 } = request.body;
      if (!isStorable(name) || name.trim() === '') return refuse(reply, 'invalid_request');
      const account = await operator.createAccount({ name: name.trim(), plan, credits });
      return reply.code(201).send(presentAdminAccount(account));
    },
  });
}

function addSingleAccount(server: ApiServer, { operator, onRequest }: AdminRouteParts): void {
  server.route({
    method: 'GET',
    url: `${accountsPath}/:accountId`,
    schema: readRoute,
    onRequest,
    handler: async (request, reply) => {
      const { accountId } = request.params;
      const account = isId(accountId) ? await operator.findAccount(accountId) : undefined;
      if (account === undefined) return refuse(reply, 'account_not_found');
      return reply.code(200).send(presentAdminAccount(account));
    },
  });
  server.route({
    method: 'PATCH',
    url: `${accountsPath}/:accountId`,
    schema: planRoute,
    onRequest,
    handler: async (request, reply) => {
      const { accountId } = request.params;
      const { plan, requests_per_minute: requestsPerMinute } = request.body;
      if (plan === undefined && requestsPerMinute === undefined) return refuse(reply, 'invalid_request');
      const account = isId(accountId)
        ? await operator.changeAccount({ accountId, plan, requestsPerMinute })
        : undefined;
      if (account === undefined) return refuse(reply, 'account_not_found');
      return reply.code(200).send(presentAdminAccount(account));
    },
  });
  server.route({
    method: 'POST',
    url: `${accountsPath}/:accountId/grants`,
    schema: grantRoute,
    onRequest,
    handler: async (request, reply) => {
      const { accountId } = request.params;
      const { credits } = request.body;
      const word = readIdempotencyKey(request.headers['idempotency-key']);
      if (word.kind === 'malformed') return refuse(reply, 'invalid_request');
      if (!isId(accountId)) return refuse(reply, 'account_not_found');
      const idempotencyKey = word.kind === 'present' ? word.key : undefined;
      const answer = await operator.grantCredits({ accountId, credits, idempotencyKey });
      if (answer.kind !== 'granted') return refuse(reply, answer.kind);
      return reply.code(200).send(presentAdminAccount(answer.account));
    },
  });
}

function addUnfreezing(server: ApiServer, { operator, onRequest }: AdminRouteParts): void {
  server.route({
    method: 'POST',
    url: `${accountsPath}/:accountId/unfreeze`,
    schema: unfreezeRoute,
    onRequest,
    handler: async (request, reply) => {
      const { accountId } = request.params;
      const reason = request.body.reason.trim();
      if (!isStorable(reason) || reason === '') return refuse(reply, 'invalid_request');
      const account = isId(accountId) ? await operator.unfreeze({ accountId, reason }) : undefined;
      if (account === undefined) return refuse(reply, 'account_not_found');
      return reply.code(200).send(presentAdminAccount(account));
    },
  });
}

type ReadSearch = { kind: 'read'; text: string | undefined } | { kind: 'invalid' };

/** Nothing to look for is no search. */
function readSearch(text: unknown): ReadSearch {
  if (text === undefined) return { kind: 'read', text: undefined };
  if (typeof text !== 'string' || !isStorable(text)) return { kind: 'invalid' };
  if (text.length > contractLimits.accountNameCharacters) return { kind: 'invalid' };
  return { kind: 'read', text: text.trim() === '' ? undefined : text.trim() };
}
