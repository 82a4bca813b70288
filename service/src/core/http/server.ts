import type { ServerOptions } from 'node:http';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { contractLimits } from '@mailproof/client';
import fastify, { type FastifyServerOptions } from 'fastify';
import { createAdmitRequest, createTakePlace } from './pipeline/admit-request.ts';
import { authenticateOperator } from '../../features/operator/routes/authenticate-operator.ts';
import { createAuthenticateRequest } from './pipeline/authenticate-request.ts';
import { awaitBody } from './pipeline/await-body.ts';
import { compileBodyCheck, readBody } from './pipeline/check-body.ts';
import { compileReply } from './pipeline/compile-reply.ts';
import { createClientErrorHandler } from './pipeline/client-error-handler.ts';
import { createErrorHandler } from './pipeline/error-handler.ts';
import { connectionsWithin, limitConnections } from './pipeline/limit-connections.ts';
import { paceRefusals, refusalLimits } from './pipeline/pace-refusals.ts';
import { receiveRequest, setStandardHeaders } from './pipeline/receive-request.ts';
import { listsPath, withoutBasePath, withoutOrigin } from './pipeline/paths.ts';
import { traceFrom } from './pipeline/trace-request.ts';
import { refuse } from './pipeline/refuse.ts';
import { addAboutPage } from '../../features/about/about-page.ts';
import { addAccountKeys } from '../../features/account/routes/account-keys.ts';
import { addAccountReads } from '../../features/account/routes/account-reads.ts';
import { addAdminAccountHistory } from '../../features/operator/routes/account-history.ts';
import { addAdminAccountKeys } from '../../features/operator/routes/account-keys.ts';
import { addAdminAccountPeople } from '../../features/operator/routes/account-people.ts';
import { addAdminAccounts } from '../../features/operator/routes/accounts.ts';
import { addAdminObservation } from '../../features/operator/routes/observation.ts';
import { addConsoleFiles } from '../../features/console/console-files.ts';
import { addCreateBulkTask } from './routes/create-bulk-task.ts';
import { addDocs } from './routes/docs.ts';
import { addFormCheck } from '../../features/forms/routes/form-check.ts';
import { addFormKeys } from '../../features/forms/routes/form-keys.ts';
import { addFormPage } from '../../features/forms/routes/form-page.ts';
import { addHealth } from './routes/health.ts';
import type { ApiServer, HttpParts, RouteParts } from './routes/http-parts.ts';
import { addChangeList } from '../../features/lists/routes/change-list.ts';
import { addCreateList } from '../../features/lists/routes/create-list.ts';
import { addReadLists } from '../../features/lists/routes/read-lists.ts';
import { addOpenapi, describeRoute, openapiDocument } from './routes/openapi.ts';
import { addLlmsText } from '../../features/agents/routes/llms-text.ts';
import { addMcp } from '../../features/agents/routes/mcp.ts';
import { addPeople } from '../../features/people/routes/people.ts';
import { addProbers } from '../../features/probers/routes/probers.ts';
import { addProviderSignIn } from '../../features/people/routes/provider-sign-in.ts';
import { addMetrics } from '../../features/metrics/routes/metrics.ts';
import { addReadBulkTask } from './routes/read-bulk-task.ts';
import { addSession } from '../../features/people/routes/session.ts';
import { addVerifyEmail } from './routes/verify-email.ts';
import { addWebhookDeliveries } from '../../features/webhooks/routes/deliveries.ts';
import { addWebhooks } from '../../features/webhooks/routes/endpoints.ts';

/** What a connection may hold and for how long. */
export const connectionLimits = {
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  /** The file of a list, from its first byte to its last. */
  uploadTimeoutMs: 1_800_000,
  checkingIntervalMs: 1_000,
  keepAliveTimeoutMs: 65_000,
  headerBytes: 8_192,
  requestsPerSocket: 1_000,
  connections: 10_000,
  refusals: refusalLimits,
};

type ConnectionLimits = typeof connectionLimits;

/**
 * The HTTP side, put together: how connections are treated, what every request passes (`pipeline/`), and then the
 * routes, each of which is read alone.
 */
export async function createServer(parts: HttpParts, limits = connectionLimits): Promise<ApiServer> {
  const server = openServer(parts, limits);

  const { requestsPerSocket } = limits;
  server.addHook('onRequest', traceFrom(receiveRequest({ ...parts, requestsPerSocket })));
  const preParsing = awaitBody({ ms: limits.requestTimeoutMs, exempt: listsPath });
  server.addHook('onRoute', (route) => {
    // The body of a GET is not read, so there is none to wait for.
    if (route.method !== 'GET') route.preParsing = preParsing;
  });
  server.addHook('preValidation', createTakePlace(parts.overloadGuard));
  const refusalPace = paceRefusals(limits.refusals);
  // eslint-disable-next-line max-params -- the framework's own signature
  server.addHook('onSend', (_request, reply, payload, done) => {
    // A client that is answered during shutdown should not send its next request over this connection.
    if (parts.overloadGuard.isDraining()) reply.header('connection', 'close');
    refusalPace.whenDue(reply, () => done(null, payload));
  });
  server.addHook('preClose', (done) => {
    refusalPace.flush();
    done();
  });
  server.setErrorHandler(createErrorHandler(parts.logger));
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, readBody);
  await server.register(swagger, {
    openapi: openapiDocument(parts.basePath),
    transform: describeRoute,
  });

  const admitRequest = createAdmitRequest(parts.overloadGuard);
  const authenticateRequest = createAuthenticateRequest(parts);
  const routeParts = { parts, admitRequest, authenticateRequest };
  addVerifyEmail(server, routeParts);
  addCreateBulkTask(server, routeParts);
  addReadBulkTask(server, routeParts);
  addCreateList(server, routeParts);
  addReadLists(server, routeParts);
  addChangeList(server, routeParts);
  addSession(server, routeParts);
  addProviderSignIn(server, routeParts);
  addPeople(server, routeParts);
  addAccountReads(server, routeParts);
  addAccountKeys(server, routeParts);
  addFormCheck(server, routeParts);
  addFormKeys(server, routeParts);
  addFormPage(server);
  addWebhooks(server, routeParts);
  addWebhookDeliveries(server, routeParts);
  addAdmin(server, routeParts);
  addProbers(server, routeParts);
  addHealth(server, routeParts);
  addMetrics(server, routeParts);
  addOpenapi(server);
  addDocs(server, parts.basePath);
  addLlmsText(server, parts.basePath);
  addMcp(server, routeParts);
  addAboutPage(server, parts.about);
  addConsoleFiles(server, routeParts);

  await server.ready();
  return server;
}

/** Everything under `/admin/v1`, for the operator alone. */
function addAdmin(server: ApiServer, { parts, admitRequest }: RouteParts): void {
  const onRequest = authenticateOperator({ ...parts, admitRequest });
  const adminParts = { operator: parts.operator, onRequest };
  addAdminAccounts(server, adminParts);
  addAdminAccountKeys(server, adminParts);
  addAdminAccountPeople(server, {
    ...adminParts,
    people: parts.people,
    publicUrl: parts.oidc?.publicUrl ?? '',
  });
  addAdminAccountHistory(server, adminParts);
  addAdminObservation(server, adminParts);
}

/** Named `https` with a certificate. The framework's types know one of the two at a time, and to us they are the same. */
function connectionOptions({ tls }: HttpParts, limits: ConnectionLimits): { http: ServerOptions } {
  const http = {
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: limits.checkingIntervalMs,
    maxHeaderSize: limits.headerBytes,
    // A request without Host is refused by us (RFC 9112 section 3.2), so that it gets the error body.
    requireHostHeader: false,
  };
  return tls === undefined
    ? { http }
    : ({ https: { ...http, ...tls } } as unknown as { http: ServerOptions });
}

/** Named here, so that the framework does not load those of its own, which is all that its types know. */
const compilersFactory = {
  buildValidator: () => compileBodyCheck,
  buildSerializer: () => compileReply,
} as unknown as NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

function openServer(parts: HttpParts, limits: ConnectionLimits): ApiServer {
  const server = fastify({
    // Fastify's own lines would carry URLs and messages; ours are written in log-request.ts.
    logger: false,
    genReqId: () => parts.newRequestId(),
    bodyLimit: contractLimits.bodyBytes,
    requestTimeout: limits.uploadTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxRequestsPerSocket: limits.requestsPerSocket,
    exposeHeadRoutes: false,
    rewriteUrl: ({ url = '/' }) => withoutBasePath(withoutOrigin(url), parts.basePath),
    // While the server closes, requests on open connections get our own 503, not the framework's.
    return503OnClosing: false,
    schemaController: { compilersFactory },
    routerOptions: { maxParamLength: limits.headerBytes },
    ...connectionOptions(parts, limits),
    clientErrorHandler: createClientErrorHandler(() => parts.newRequestId()),
    frameworkErrors: (_error, request, reply) => {
      setStandardHeaders(reply, request.url);
      void refuse(reply, 'bad_request');
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  limitConnections(server.server, connectionsWithin(limits.connections));
  // Unknown expectations may be ignored (RFC 9110 section 10.1.1); Node would answer 417 without a body.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  );
  return server;
}
