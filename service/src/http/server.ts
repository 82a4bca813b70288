import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { contractLimits } from '@mailproof/client';
import fastify, { type FastifyRequest } from 'fastify';
import { createErrorAnswer } from './answer-error.ts';
import type { ApiServer } from './api-server.ts';
import { createClientErrorAnswer } from './client-error.ts';
import { compileBodyCheck } from './compile-body-check.ts';
import { createDoor } from './door.ts';
import { createGate } from './gate.ts';
import type { HttpParts } from './http-parts.ts';
import { meetRequest, setStandardHeaders } from './meet-request.ts';
import { openapiDocument } from './openapi-document.ts';
import { parseBody } from './parse-body.ts';
import { unreadable } from './unreadable.ts';
import { refuse } from './refuse.ts';
import { createNotebook, type Notebook } from './request-notes.ts';
import { addAdmin } from './routes/admin/add-admin.ts';
import { addAccountKeys } from './routes/account-keys.ts';
import { addAccountReads } from './routes/account-reads.ts';
import { addConsoleFiles } from './routes/console-files.ts';
import { addCreateBulkTask } from './routes/create-bulk-task.ts';
import { addDocs } from './routes/docs.ts';
import { addHealthz } from './routes/healthz.ts';
import { addOpenapi } from './routes/openapi.ts';
import { addReadBulkTask } from './routes/read-bulk-task.ts';
import { addReadyz } from './routes/readyz.ts';
import { addSession } from './routes/session.ts';
import { addVerifyEmail } from './routes/verify-email.ts';

/** What a connection may hold and for how long. */
export const connectionLimits = {
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  checkingIntervalMs: 1_000,
  keepAliveTimeoutMs: 65_000,
  headerBytes: 8_192,
  requestsPerSocket: 1_000,
  connections: 10_000,
};

type ConnectionLimits = typeof connectionLimits;

/**
 * The HTTP side, put together: how connections are treated, how every request is met, how bodies are read,
 * how errors are answered, and then the routes, each of which is read alone.
 */
export async function createServer(parts: HttpParts, limits = connectionLimits): Promise<ApiServer> {
  const notebook = createNotebook();
  const server = openServer(parts, limits);

  server.addHook('onRequest', meetRequest(parts, notebook));
  // eslint-disable-next-line max-params -- the framework's own signature
  server.addHook('onSend', (_request, reply, payload, done) => {
    // Whoever is answered while the service goes down should not send its next request down this connection.
    if (parts.admission.isDraining()) reply.header('connection', 'close');
    done(null, payload);
  });
  server.setErrorHandler(createErrorAnswer(parts.logger));
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, createBodyReader(notebook));
  server.setValidatorCompiler(compileBodyCheck);
  await server.register(swagger, { openapi: openapiDocument });

  const door = createDoor(parts.admission, notebook);
  const routeParts = { parts, door, gate: createGate(parts, door, notebook), notebook };
  addVerifyEmail(server, routeParts);
  addCreateBulkTask(server, routeParts);
  addReadBulkTask(server, routeParts);
  addSession(server, routeParts);
  addAccountReads(server, routeParts);
  addAccountKeys(server, routeParts);
  addAdmin(server, routeParts);
  addHealthz(server);
  addReadyz(server, routeParts);
  addOpenapi(server);
  addDocs(server);
  addConsoleFiles(server, routeParts);

  await server.ready();
  return server;
}

/** The fault goes to the log, where whoever tries the API first looks for it. */
function createBodyReader(notebook: Notebook) {
  return (
    request: FastifyRequest,
    bytes: Buffer,
    done: (error: Error | null, body?: unknown) => void,
  ): void => {
    const read = parseBody(request.headers, bytes);
    if (read.kind === 'read') {
      done(null, read.body);
      return;
    }
    notebook.of(request).fault = read.fault;
    done(unreadable());
  };
}

function openServer(parts: HttpParts, limits: ConnectionLimits): ApiServer {
  const server = fastify({
    // Fastify's own lines would carry URLs and messages; ours are written in log-request.ts.
    logger: false,
    genReqId: () => parts.newRequestId(),
    bodyLimit: contractLimits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxRequestsPerSocket: limits.requestsPerSocket,
    exposeHeadRoutes: false,
    // While the server closes, requests on open connections get our own 503, not the framework's.
    return503OnClosing: false,
    routerOptions: { maxParamLength: limits.headerBytes },
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkingIntervalMs,
      maxHeaderSize: limits.headerBytes,
      // A request without Host is refused by us (RFC 9112 section 3.2), so that it gets the error body.
      requireHostHeader: false,
    },
    clientErrorHandler: createClientErrorAnswer(() => parts.newRequestId()),
    frameworkErrors: (_error, request, reply) => {
      setStandardHeaders(reply, request.url);
      void refuse(reply, 'bad_request');
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  server.server.maxConnections = limits.connections;
  // Unknown expectations may be ignored (RFC 9110 section 10.1.1); Node would answer 417 without a body.
  server.server.on('checkExpectation', (request, response) =>
    server.server.emit('request', request, response),
  );
  return server;
}
