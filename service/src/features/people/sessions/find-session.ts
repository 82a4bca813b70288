import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { allowsClient } from '../../../core/keys/key-limits.ts';
import type { FindVisitor } from '../../../core/http/pipeline/authenticate-request.ts';
import type { Sessions } from './create-sessions.ts';
import type { Session } from './session.ts';
import { readSessionCookie } from './session-cookie.ts';

/**
 * Who a request is from by its cookie. A browser sends the cookie whoever wrote the page, so the cookie alone changes
 * nothing: every method but GET and HEAD has to bring the session's CSRF token along, which only a page of ours can
 * have read. What the browser itself says of the request's origin is heeded on top of that.
 */
type FoundSession =
  | { kind: 'found'; id: string; session: Session }
  | { kind: 'none' }
  | { kind: 'refused'; reason: 'csrf_token_mismatch' | 'cross_site_request' };

type FindSessionParts = { sessions: Sessions; clientAddress: (request: FastifyRequest) => string };

export async function findSession(
  request: FastifyRequest,
  { sessions, clientAddress }: FindSessionParts,
): Promise<FoundSession> {
  const id = readSessionCookie(request.headers.cookie);
  if (id === undefined) return { kind: 'none' };
  if (isCrossSite(request)) return { kind: 'refused', reason: 'cross_site_request' };
  const session = await sessions.find(id);
  if (session === undefined || !isAllowedFrom(session, () => clientAddress(request))) return { kind: 'none' };
  if (!isReading(request) && !bringsToken(request, session))
    return { kind: 'refused', reason: 'csrf_token_mismatch' };
  return { kind: 'found', id, session };
}

/** Finds the sender of a request for the checks in front of every route. */
export function createFindVisitor(parts: FindSessionParts): FindVisitor {
  return async (request) => {
    const found = await findSession(request, parts);
    if (found.kind !== 'found') return found;
    const { session } = found;
    return session.kind === 'operator' ? { kind: 'operator' } : { kind: 'account', caller: session.caller };
  };
}

/** A session has the limits of the key that opened it, and may not be carried elsewhere either. */
function isAllowedFrom(session: Session, address: () => string): boolean {
  return session.kind !== 'account' || allowsClient(session.caller.limits, address);
}

/** By Fetch Metadata: absent from old browsers and from programs, `none` if the user typed the address. */
export function isCrossSite({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function isReading({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function bringsToken({ headers }: FastifyRequest, { csrfToken }: Session): boolean {
  const presented = headers['x-csrf-token'];
  if (typeof presented !== 'string') return false;
  const [given, expected] = [Buffer.from(presented), Buffer.from(csrfToken)];
  // The length of a token is no secret; its bytes are compared in constant time.
  return given.length === expected.length && timingSafeEqual(given, expected);
}
