import type { FastifyRequest } from 'fastify';
import type { Caller } from '../keys/authenticate.ts';

/** What the stages of one request tell each other and the log. Never an address, a key or a body. */
export type RequestNotes = {
  startedAt: number;
  /** The pattern of the path, where a route answers to it. */
  route: string | undefined;
  /** Gives back the place that the request was let in to. */
  leave?: () => void;
  caller?: Caller;
  creditsUsed: number;
  address?: { hash: string; domain: string };
  /** How many addresses a bulk request carried. */
  emails?: number;
  /** Why the request was refused, for the operator: the client is told the contract's one reason. */
  fault?: string;
};

export type Notebook = {
  open(request: FastifyRequest): RequestNotes;
  of(request: FastifyRequest): RequestNotes;
  /** Who calls. Only asked behind the gate, where a caller is certain. */
  callerOf(request: FastifyRequest): Caller;
};

/** A request carries its page itself: to look one up in a table would cost every request more than to write on it. */
type Noted = FastifyRequest & { [page]?: RequestNotes };

const page = Symbol('notes');

export function createNotebook(): Notebook {
  function open(request: Noted): RequestNotes {
    const notes: RequestNotes = {
      startedAt: performance.now(),
      route: request.is404 ? undefined : request.routeOptions.url,
      creditsUsed: 0,
    };
    request[page] = notes;
    return notes;
  }
  const of = (request: Noted): RequestNotes => request[page] ?? open(request);

  return {
    open,
    of,
    callerOf(request) {
      const { caller } = of(request);
      if (caller === undefined) throw new Error('a handler ran without the gate before it');
      return caller;
    },
  };
}
