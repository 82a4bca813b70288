import type { ServerOptions } from 'node:http';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { contractLimits } from '@mailproof/client';
import { StartError } from '../config/start-error.ts';
import fastify, { type FastifyServerOptions } from 'fastify';
import { createAdmitRequest, createTakePlace } from './pipeline/admit-request.ts';
import { authenticateOperator } from './pipeline/authenticate-operator.ts';
import { createAuthenticateRequest } from './pipeline/authenticate-request.ts';
import { awaitBody } from './pipeline/await-body.ts';
import { compileBodyCheck, readBody } from './pipeline/check-body.ts';
import { compileReply } from './pipeline/compile-reply.ts';
import { createClientErrorHandler } from './pipeline/client-error-handler.ts';
import { createErrorHandler } from './pipeline/error-handler.ts';
import { connectionsWithin, limitConnections } from './pipeline/limit-connections.ts';
import { paceRefusals, refusalLimits } from './pipeline/pace-refusals.ts';
import { receiveRequest, setStandardHeaders } from './pipeline/receive-request.ts';
import { createPathTable, withoutBasePath, withoutOrigin, type PathTable } from './pipeline/paths.ts';
import { traceFrom } from './pipeline/trace-request.ts';
import { refuse } from './pipeline/refuse.ts';
import { addCreateBulkTask } from './routes/create-bulk-task.ts';
import { addDocs } from './routes/docs.ts';
import { addHealth } from './routes/health.ts';
import type { ApiServer, FeatureHttp, HttpParts } from './routes/http-parts.ts';
import { addOpenapi, describeRoute, openapiDocument } from './routes/openapi.ts';
import { addReadBulkTask } from './routes/read-bulk-task.ts';
import { addVerifyEmail } from './routes/verify-email.ts';

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
export async function createServer(
  parts: HttpParts & { features: readonly FeatureHttp[] },
  limits = connectionLimits,
): Promise<ApiServer> {
  const server = openServer(parts, limits);
  const paths = createPathTable();
  const preParsing = awaitBody({ ms: limits.requestTimeoutMs });
  server.addHook('onRoute', (route) => {
    paths.add(route.url, route.method);
    // The body of a GET is not read, so there is none to wait for.
    if (route.method !== 'GET') route.preParsing = preParsing;
  });
  const { features } = parts;
  const isHidden = (url: string) => features.some(({ hides }) => hides?.(url) === true);
  const { requestsPerSocket } = limits;
  server.addHook('onRequest', traceFrom(receiveRequest({ ...parts, paths, isHidden, requestsPerSocket })));
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
    openapi: openapiDocument(parts),
    transform: describeRoute(parts),
  });

  const admitRequest = createAdmitRequest(parts.overloadGuard);
  const authenticateRequest = createAuthenticateRequest(parts);
  const operatorChecks = authenticateOperator({ ...parts, admitRequest });
  const routeParts = { parts, admitRequest, authenticateRequest, operatorChecks };
  addVerifyEmail(server, routeParts);
  addCreateBulkTask(server, routeParts);
  addReadBulkTask(server, routeParts);
  for (const { addRoutes } of features) addRoutes(server, routeParts);
  addHealth(server, routeParts);
  addOpenapi(server, features);
  addDocs(server, parts.basePath);

  await server.ready();
  refuseTakenBasePath(parts.basePath, paths);
  return server;
}

/** Refuses a base path that begins like a page of ours: a request under it could be meant for either. */
function refuseTakenBasePath(basePath: string, paths: PathTable): void {
  if (basePath === '' || !paths.isOurs(basePath)) return;
  throw new StartError(
    `MAILPROOF_BASE_PATH is ${basePath}, where the service has pages of its own: it may be a path such as /mailproof`,
  );
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
