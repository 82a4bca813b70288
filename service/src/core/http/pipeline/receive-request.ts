import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { networkOfClient } from './client-network.ts';
import type { LogRequest } from './log-request.ts';
import { isAdminUrl, isApiUrl, isProbeUrl, type PathTable } from './paths.ts';
import { refuse } from './refuse.ts';
import { openContext } from './request-context.ts';

/** Node drops fields beyond its own count in silence, so ours is lower than any it could reach in 8 KiB. */
const maxHeaderFields = 64;

/**
 * The first thing that happens to every request: it gets its id, its one log line is prepared, and what no
 * route can answer is refused (path 404, method 405), all before the store or a key is looked at.
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
    // The router takes nothing at all for a task id, and more beside; the table of paths does not.
    else if (route === undefined || isHiddenRoute(route) || !paths.isPathOf(route, request.url))
      void refuseUnrouted(request, reply, isHidden(request.url) ? undefined : paths.methodsAt(request.url));
    else done();
  };
}

/** There are as many answers as routes, and each is asked for at every request. */
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
 * Whether a request is the last that its connection may carry. Node drops what comes after it unread, and would answer
 * that with a bare 503 on a connection that stays open: so the last answer says that it is the last (RFC 9112 section
 * 9.6), and the client sends the rest over another.
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

/** The URL may be the pattern of its route. */
export function setStandardHeaders(reply: FastifyReply, url: string): void {
  reply.header('x-request-id', reply.request.id).header('x-content-type-options', 'nosniff');
  if (isApiUrl(url))
    reply.header('x-credits-used', '0').header('cache-control', 'no-store').header('vary', 'Authorization');
  else if (isProbeUrl(url)) reply.header('cache-control', 'no-store').header('vary', 'Authorization');
  else if (isAdminUrl(url)) reply.header('cache-control', 'no-store').header('vary', 'Authorization, Cookie');
}

/** Exactly one Host in HTTP/1.1 (RFC 9112 section 3.2): two are how requests are smuggled past a proxy. */
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
