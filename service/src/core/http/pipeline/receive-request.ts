import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { networkOfClient } from './client-network.ts';
import type { LogRequest } from './log-request.ts';
import { isAdminUrl, isApiUrl, isProbeUrl, type PathTable } from './paths.ts';
import { refuse } from './refuse.ts';
import { openContext } from './request-context.ts';

/** Node silently drops fields beyond its own limit, so ours is lower than any count that fits into 8 KiB. */
const maxHeaderFields = 64;

/**
 * Receives every request first: gives it its id, prepares its log line, and refuses unknown paths (404) and methods
 * (405). All this happens before the store or a key is read.
 */
export function receiveRequest({
  logRequest,
  clientAddress,
  paths,
  isHidden,
  requestsPerSocket,
}: {
  logRequest: LogRequest;
  clientAddress: (request: FastifyRequest) => string;
  paths: PathTable;
  /** Whether a path is switched off. It cannot be told from one that does not exist. */
  isHidden: (url: string) => boolean;
  requestsPerSocket: number;
}): onRequestHookHandler {
  const isLast = createRequestCount(requestsPerSocket);
  const isHiddenRoute = rememberByRoute(isHidden);
  return (request, reply, done) => {
    const context = openContext(request, networkOfClient(clientAddress(request)));
    // It closes once, so there is no need to stop listening.
    reply.raw.on('close', () => {
      context.release?.();
      logRequest(request, reply, context);
    });
    if (isLast(request)) reply.header('connection', 'close');
    const { route } = context;
    setStandardHeaders(reply, route ?? request.url);

    if (request.raw.rawHeaders.length > 2 * maxHeaderFields) void refuse(reply, 'headers_too_large');
    else if (!namesOneHost(request)) void refuse(reply, 'bad_request');
    // The router accepts an empty task id, and other paths; the table of paths does not.
    else if (route === undefined || isHiddenRoute(route) || !paths.isPathOf(route, request.url))
      void refuseUnrouted(request, reply, isHidden(request.url) ? undefined : paths.methodsAt(request.url));
    else done();
  };
}

/** Caches answers by route: there are few, and every request needs one. */
function rememberByRoute(ask: (route: string) => boolean): (route: string) => boolean {
  const known = new Map<string, boolean>();
  return (route) => {
    const remembered = known.get(route);
    if (remembered !== undefined) return remembered;
    const answer = ask(route);
    known.set(route, answer);
    return answer;
  };
}

/**
 * Tells whether a request is the last that its connection may carry. Node drops later requests unread, and would
 * answer them with a bare 503 on a connection that stays open. So the last answer announces the end (RFC 9112
 * section 9.6), and the client opens another connection.
 */
function createRequestCount(most: number): (request: FastifyRequest) => boolean {
  const counts = new WeakMap<object, { requests: number }>();
  return ({ raw: { socket } }) => {
    const count = counts.get(socket);
    if (count === undefined) counts.set(socket, { requests: 1 });
    else count.requests += 1;
    return (count?.requests ?? 1) >= most;
  };
}

/** Sets the standard headers. The URL may be the pattern of its route. */
export function setStandardHeaders(reply: FastifyReply, url: string): void {
  reply.header('x-request-id', reply.request.id).header('x-content-type-options', 'nosniff');
  if (isApiUrl(url))
    reply.header('x-credits-used', '0').header('cache-control', 'no-store').header('vary', 'Authorization');
  else if (isProbeUrl(url)) reply.header('cache-control', 'no-store').header('vary', 'Authorization');
  else if (isAdminUrl(url)) reply.header('cache-control', 'no-store').header('vary', 'Authorization, Cookie');
}

/**
 * Tells whether there is exactly one Host, as HTTP/1.1 requires (RFC 9112 section 3.2): two are used to smuggle
 * requests past a proxy.
 */
function namesOneHost({ raw }: FastifyRequest): boolean {
  let hosts = 0;
  for (let at = 0; at < raw.rawHeaders.length; at += 2) {
    const name = raw.rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1 || (hosts === 0 && raw.httpVersion === '1.0');
}

function refuseUnrouted(
  request: FastifyRequest,
  reply: FastifyReply,
  allowed: readonly string[] | undefined,
): FastifyReply {
  if (allowed === undefined || allowed.includes(request.method)) return refuse(reply, 'not_found');
  return refuse(reply.header('allow', allowed.join(', ')), 'method_not_allowed');
}
