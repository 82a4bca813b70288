import type { ApiServer } from '../../../core/http/routes/http-parts.ts';
import { ledgerCursor, ledgerPlace, taskCursor, taskPlace } from '../../../core/http/parameters/cursors.ts';
import { readPage } from '../../../core/http/parameters/read-page.ts';
import { isId } from '../../../core/http/parameters/storable-text.ts';
import { adminPath } from '../../../core/http/pipeline/paths.ts';
import { presentEntry, presentListedTask } from '../../account/routes/present-account.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import { ledgerPageSchema, taskPageSchema } from '../../account/routes/account-schemas.ts';
import { accountParameters } from './admin-schemas.ts';
import { pageQuery } from '../../../core/http/schemas/page-parameters.ts';
import { adminErrors, adminRoute, answering, type AdminRouteParts } from './admin-route.ts';

/** What happened on any account: its ledger and its tasks, as the account itself sees them. */
const ledgerRoute = {
  ...adminRoute,
  operationId: 'adminReadLedger',
  summary: 'The ledger of an account, with the balance after each entry',
  description: 'As the account itself sees it, newest first.',
  params: accountParameters,
  querystring: pageQuery,
  response: { 200: answering(ledgerPageSchema), ...adminErrors('invalid_request', 'account_not_found') },
};

const tasksRoute = {
  ...adminRoute,
  operationId: 'adminListTasks',
  summary: 'The tasks of an account that are still kept',
  description: 'As the account itself sees them, newest first; never an address.',
  params: accountParameters,
  querystring: pageQuery,
  response: { 200: answering(taskPageSchema), ...adminErrors('invalid_request', 'account_not_found') },
};

export function addAdminAccountHistory(server: ApiServer, { operator, onRequest }: AdminRouteParts): void {
  const isAccount = async (accountId: string) =>
    isId(accountId) && (await operator.findAccount(accountId)) !== undefined;

  server.route({
    method: 'GET',
    url: `${adminPath}/accounts/:accountId/ledger`,
    schema: ledgerRoute,
    onRequest,
    handler: async (request, reply) => {
      const { accountId } = request.params;
      const page = readPage(request.query, ledgerPlace);
      if (page.kind === 'invalid') return refuse(reply, 'invalid_request');
      if (!(await isAccount(accountId))) return refuse(reply, 'account_not_found');
      const answer = await operator.readLedger({ accountId, limit: page.limit, from: page.from });
      if (answer.kind === 'no_such_place') return refuse(reply, 'invalid_request');
      const { entries, next } = answer;
      return reply
        .code(200)
        .send({ entries: entries.map(presentEntry), next: next === undefined ? null : ledgerCursor(next) });
    },
  });
  server.route({
    method: 'GET',
    url: `${adminPath}/accounts/:accountId/tasks`,
    schema: tasksRoute,
    onRequest,
    handler: async (request, reply) => {
      const { accountId } = request.params;
      const page = readPage(request.query, taskPlace);
      if (page.kind === 'invalid') return refuse(reply, 'invalid_request');
      if (!(await isAccount(accountId))) return refuse(reply, 'account_not_found');
      const { tasks, next } = await operator.listTasks({ accountId, limit: page.limit, after: page.from });
      return reply
        .code(200)
        .send({ tasks: tasks.map(presentListedTask), next: next === undefined ? null : taskCursor(next) });
    },
  });
}
