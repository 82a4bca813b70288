import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../keys/authenticate.ts';
import { peerNetwork } from './client-network.ts';
import type { WorkKind } from './overload-guard.ts';

/** What the stages of one request tell each other and the log. Never an address, a key or a body. */
export type RequestContext = {
  startedAt: number;
  /** The client's address, or its network (see client-network.ts). */
  client: string;
  /** The pattern of the path, where a route answers to it. */
  route: string | undefined;
  /** What the request needs a place for, and on whose account: the client's address until its account is known. */
  work?: { kind: WorkKind; asker: string };
  /** Releases the place that the overload guard gave to the request. */
  release?: () => void;
  caller?: Caller;
  creditsUsed: number;
  address?: { hash: string; domain: string };
  /** How many addresses a bulk request carried. */
  emails?: number;
  /** Why the request was refused, for the operator: the client is told the contract's one reason. */
  fault?: string;
};

/** Kept on the request itself: a lookup in a table would cost every request more than this property does. */
type RequestWithContext = FastifyRequest & { [context]?: RequestContext };

const context = Symbol('context');

export function openContext(request: RequestWithContext, client: string): RequestContext {
  const opened: RequestContext = {
    startedAt: performance.now(),
    client,
    route: request.is404 ? undefined : request.routeOptions.url,
    creditsUsed: 0,
  };
  request[context] = opened;
  return opened;
}

export function contextOf(request: RequestWithContext): RequestContext {
  return request[context] ?? openContext(request, peerNetwork(request.raw.socket));
}

/** Who calls. Only asked after authentication, where a caller is certain. */
export function callerOf(request: FastifyRequest): Caller {
  const { caller } = contextOf(request);
  if (caller === undefined) throw new Error('a handler ran without authentication before it');
  return caller;
}
