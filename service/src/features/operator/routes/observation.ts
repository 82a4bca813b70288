import { contractLimits } from '@mailproof/client';
import type { ApiServer } from '../../../core/http/routes/http-parts.ts';
import { auditCursor, auditPlace } from './admin-cursors.ts';
import { adminPath } from '../../../core/http/pipeline/paths.ts';
import { presentChange, presentEgress, presentHealth, presentProber, presentTrace } from './present-admin.ts';
import { isStorable } from '../../../core/http/parameters/storable-text.ts';
import { fieldsOf, readPage, readWhole } from '../../../core/http/parameters/read-page.ts';
import { refuse } from '../../../core/http/pipeline/refuse.ts';
import {
  adminEndedRestsSchema,
  adminEndRestRequestSchema,
  adminProberListSchema,
  adminTraceSchema,
  auditLogPageSchema,
  healthQuery,
  requestParameters,
} from './admin-schemas.ts';
import { healthSchema } from './health-schema.ts';
import { csrfHeaders, pageQuery } from '../../../core/http/schemas/page-parameters.ts';
import { adminErrors, adminRoute, answering, type AdminRouteParts } from './admin-route.ts';

/** What the operator looks at: the health of the service, the trace of a request, the audit log. */
const healthRoute = {
  ...adminRoute,
  operationId: 'adminReadHealth',
  summary: 'Outcomes of verifications, and what obstructs them',
  description:
    'Verdicts by status and reason, processes, queues, hosts that are left alone, and what is wrong with resolver and port 25.',
  querystring: healthQuery,
  response: { 200: answering(healthSchema), ...adminErrors('invalid_request') },
};

const requestRoute = {
  ...adminRoute,
  operationId: 'adminFindRequest',
  summary: 'What a request did',
  description:
    'By the `X-Request-Id` of its answer. Requests of test keys that made no task, and those that were refused, leave nothing to find.',
  params: requestParameters,
  response: { 200: answering(adminTraceSchema), ...adminErrors('request_not_found') },
};

const auditLogRoute = {
  ...adminRoute,
  operationId: 'adminReadAuditLog',
  summary: 'Who changed what',
  description: 'Written in the same transaction as the change, whoever makes it; never changed or deleted.',
  querystring: pageQuery,
  response: { 200: answering(auditLogPageSchema), ...adminErrors('invalid_request') },
};

const endRestRoute = {
  ...adminRoute,
  operationId: 'adminEndRest',
  summary: 'End the rest of a mail host or provider',
  description:
    'Every process may ask it again within seconds. If it refuses again, it is left alone again. A host that does not rest stays as it is.',
  headers: csrfHeaders,
  body: adminEndRestRequestSchema,
  response: {
    200: answering(adminEndedRestsSchema),
    ...adminErrors('invalid_request', 'csrf_token_mismatch'),
  },
};

const probersRoute = {
  ...adminRoute,
  operationId: 'adminListProbers',
  summary: 'The probers outside the installation, and the egress addresses inside',
  description: 'With their state, what they were last seen to do, and by whom; by name.',
  response: { 200: answering(adminProberListSchema), ...adminErrors() },
};

export function addAdminObservation(server: ApiServer, { operator, onRequest }: AdminRouteParts): void {
  server.route({
    method: 'GET',
    url: `${adminPath}/health`,
    schema: healthRoute,
    onRequest,
    handler: async (request, reply) => {
      const { healthHours: most, healthHoursUsual: usual } = contractLimits;
      const hours = readWhole(fieldsOf(request.query)['hours'], { most, usual });
      if (hours === undefined) return refuse(reply, 'invalid_request');
      return reply.code(200).send(presentHealth(await operator.readHealth(hours)));
    },
  });
  server.route({
    method: 'POST',
    url: `${adminPath}/rests/end`,
    schema: endRestRoute,
    onRequest,
    handler: async (request, reply) => {
      const { name } = request.body;
      if (!isStorable(name)) return refuse(reply, 'invalid_request');
      return reply.code(200).send(await operator.endRests({ name }));
    },
  });
  server.route({
    method: 'GET',
    url: `${adminPath}/requests/:requestId`,
    schema: requestRoute,
    onRequest,
    handler: async (request, reply) => {
      const trace = await operator.findRequest(request.params.requestId.toLowerCase());
      if (trace === undefined) return refuse(reply, 'request_not_found');
      return reply.code(200).send(presentTrace(trace));
    },
  });
  server.route({
    method: 'GET',
    url: `${adminPath}/audit-log`,
    schema: auditLogRoute,
    onRequest,
    handler: async (request, reply) => {
      const page = readPage(request.query, auditPlace);
      if (page.kind === 'invalid') return refuse(reply, 'invalid_request');
      // One more than is shown, to know whether there is a next page.
      const changes = await operator.listChanges({ limit: page.limit + 1, before: page.from });
      const entries = changes.slice(0, page.limit);
      const last = changes.length > page.limit ? entries.at(-1) : undefined;
      return reply.code(200).send({
        entries: entries.map(presentChange),
        next: last === undefined ? null : auditCursor(last.number),
      });
    },
  });
}

/** The probers of the installation; left out with them. */
export function addAdminProbers(server: ApiServer, { operator, onRequest }: AdminRouteParts): void {
  server.route({
    method: 'GET',
    url: `${adminPath}/probers`,
    schema: probersRoute,
    onRequest,
    handler: async (_request, reply) => {
      const [probers, addresses] = await Promise.all([operator.listProbers(), operator.listEgress()]);
      return reply.code(200).send({
        probers: probers.map(presentProber),
        egress_addresses: addresses.map(presentEgress),
      });
    },
  });
}
