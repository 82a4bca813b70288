import { contractLimits } from '@mailproof/client';
import type { ApiServer, RouteParts } from '../../../core/http/routes/http-parts.ts';
import { ledgerCursor, ledgerPlace, taskCursor, taskPlace } from '../../../core/http/parameters/cursors.ts';
import { accountLedgerPath, accountPath, accountTasksPath, accountUsagePath } from './account-paths.ts';
import { presentAccount, presentEntry, presentListedTask } from './present-account.ts';
import { fieldsOf, readPage, readWhole } from '../../../core/http/parameters/read-page.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import { callerOf } from '../../../core/http/pipeline/request-context.ts';
import { accountSchema, ledgerPageSchema, taskPageSchema, usageSchema } from './account-schemas.ts';
import { accountReasons, errorResponses } from '../../../core/http/schemas/errors.ts';
import { creditsHeader, requestIdHeader } from '../../../core/http/schemas/headers.ts';
import { pageQuery, usageQuery } from '../../../core/http/schemas/page-parameters.ts';
import { byKey } from '../../../core/http/schemas/security.ts';
import type { AccountHttp } from '../account-actions.ts';

/** What the holder of a key may see of the account: balance, ledger, usage by day, tasks. */
const described = { tags: ['Account'], security: byKey('account:read') };
const headers = { ...requestIdHeader, ...creditsHeader('Always 0: reading is free') };

const accountRoute = {
  ...described,
  operationId: 'readAccount',
  summary: 'The account that the key belongs to',
  description: 'Plan, credits, and the key of the request. Free of charge.',
  response: { 200: { ...accountSchema, headers }, ...errorResponses(accountReasons) },
};

const ledgerRoute = {
  ...described,
  operationId: 'readLedger',
  summary: 'The ledger, with the balance after each entry',
  description:
    'Every credit that was granted, reserved, charged or released, newest first. Nothing in it is ever changed. The sandbox moves no credits, so a test key finds no entries.',
  querystring: pageQuery,
  response: {
    200: { ...ledgerPageSchema, headers },
    ...errorResponses(['invalid_request', ...accountReasons]),
  },
};

const usageRoute = {
  ...described,
  operationId: 'readUsage',
  summary: 'Credits reserved, charged and released by day',
  description: 'Days are those of UTC; days without use are there too. With a test key all figures are 0.',
  querystring: usageQuery,
  response: { 200: { ...usageSchema, headers }, ...errorResponses(['invalid_request', ...accountReasons]) },
};

const tasksRoute = {
  ...described,
  operationId: 'listTasks',
  summary: 'Tasks that are still kept',
  description:
    'Tasks of all keys of the account that have the mode of the key in use, newest first. A task is kept for 15 days after its completion, unless the operator set another time.',
  querystring: pageQuery,
  response: {
    200: { ...taskPageSchema, headers },
    ...errorResponses(['invalid_request', ...accountReasons]),
  },
};

export function addAccountReads(
  server: ApiServer,
  { parts, authenticateRequest }: RouteParts<AccountHttp>,
): void {
  const onRequest = authenticateRequest('account', 'account:read');
  server.route({
    method: 'GET',
    url: accountPath,
    schema: accountRoute,
    onRequest,
    handler: async (request, reply) =>
      reply.code(200).send(presentAccount(await parts.account.read(callerOf(request)))),
  });
  server.route({
    method: 'GET',
    url: accountLedgerPath,
    schema: ledgerRoute,
    onRequest,
    handler: async (request, reply) => {
      const page = readPage(request.query, ledgerPlace);
      if (page.kind === 'invalid') return refuse(reply, 'invalid_request');
      const { limit, from } = page;
      const answer = await parts.account.ledger(callerOf(request), { limit, from });
      if (answer.kind === 'no_such_place') return refuse(reply, 'invalid_request');
      const next = answer.next === undefined ? null : ledgerCursor(answer.next);
      return reply.code(200).send({ entries: answer.entries.map(presentEntry), next });
    },
  });
  server.route({
    method: 'GET',
    url: accountUsagePath,
    schema: usageRoute,
    onRequest,
    handler: async (request, reply) => {
      const { usageDays: most, usageDaysUsual: usual } = contractLimits;
      const days = readWhole(fieldsOf(request.query)['days'], { most, usual });
      if (days === undefined) return refuse(reply, 'invalid_request');
      return reply.code(200).send({ days: await parts.account.usage(callerOf(request), days) });
    },
  });
  server.route({
    method: 'GET',
    url: accountTasksPath,
    schema: tasksRoute,
    onRequest,
    handler: async (request, reply) => {
      const page = readPage(request.query, taskPlace);
      if (page.kind === 'invalid') return refuse(reply, 'invalid_request');
      const { limit, from: after } = page;
      const { tasks, next } = await parts.account.tasks(callerOf(request), { limit, after });
      return reply.code(200).send({
        tasks: tasks.map(presentListedTask),
        next: next === undefined ? null : taskCursor(next),
      });
    },
  });
}
