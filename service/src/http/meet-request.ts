import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { HttpParts } from './http-parts.ts';
import { logRequest } from './log-request.ts';
import { isAdminUrl, isApiUrl, methodsAt } from './paths.ts';
import { refuse } from './refuse.ts';
import type { Notebook } from './request-notes.ts';

/** Node drops fields beyond its own count in silence, so ours is lower than any it could reach in 8 KiB. */
const maxHeaderFields = 64;

/**
 * The first thing that happens to every request: it is named, its one log line is arranged, and what no
 * route can answer is refused (path 404, method 405), all before anything is asked of anybody.
 */
export function meetRequest(
  { logger, adminToken }: Pick<HttpParts, 'logger' | 'adminToken'>,
  notebook: Notebook,
): onRequestHookHandler {
  /** Without a token there is no admin API: nobody can tell its paths from others that are not there. */
  const allowedAt = (url: string) => (!adminToken.isSet && isAdminUrl(url) ? undefined : methodsAt(url));
  return (request, reply, done) => {
    const notes = notebook.open(request);
    reply.raw.once('close', () => logRequest(logger, { request, reply }, notes));
    setStandardHeaders(request, reply);

    const { rawHeaders } = request.raw;
    // The router takes nothing at all for a task id; the table of paths does not.
    const allowed = allowedAt(request.url);
    if (rawHeaders.length > 2 * maxHeaderFields) void refuse(reply, 'headers_too_large');
    else if (!namesOneHost(request)) void refuse(reply, 'bad_request');
    else if (request.is404 || allowed === undefined) void refuseUnrouted(request, reply, allowed);
    else done();
  };
}

export function setStandardHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
  if (isAdminUrl(request.url))
    reply.header('cache-control', 'no-store').header('vary', 'Authorization, Cookie');
  if (!isApiUrl(request.url)) return;
  reply.header('x-credits-used', '0').header('cache-control', 'no-store').header('vary', 'Authorization');
}

/** Exactly one Host in HTTP/1.1 (RFC 9112 section 3.2): two are how requests are smuggled past a proxy. */
function namesOneHost({ raw }: FastifyRequest): boolean {
  let hosts = 0;
  for (let at = 0; at < raw.rawHeaders.length; at += 2) {
    if (raw.rawHeaders[at]?.toLowerCase() === 'host') hosts += 1;
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
