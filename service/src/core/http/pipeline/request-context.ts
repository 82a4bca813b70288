import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../keys/authenticate.ts';
import { peerNetwork } from './client-network.ts';
import type { WorkKind } from './overload-guard.ts';

/** Data that the stages of a request pass to each other and to the log. Never an address, a key or a body. */
export type RequestContext = {
  startedAt: number;
  /** The client's address, or its network (see client-network.ts). */
  client: string;
  /** The pattern of the path, if a route matches. */
  route: string | undefined;
  /** The kind of place that the request needs, and its asker: the client's address until the account is known. */
  work?: { kind: WorkKind; asker: string };
  /** Releases the request's place of the overload guard. */
  release?: () => void;
  caller?: Caller;
  creditsUsed: number;
  address?: { hash: string; domain: string };
  /** The number of addresses in a bulk request. */
  emails?: number;
  /** Why the request was refused, for the operator: the client gets the contract's one reason. */
  fault?: string;
};

/** The context is a property of the request: a look-up in a table would cost every request more. */
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

/** Returns the caller. Only called after authentication, when a caller is certain. */
export function callerOf(request: FastifyRequest): Caller {
  const { caller } = contextOf(request);
  if (caller === undefined) throw new Error('a handler ran without authentication');
  return caller;
}
