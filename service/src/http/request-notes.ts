import type { FastifyRequest } from 'fastify';
import type { Caller } from '../keys/authenticate.ts';

/** What the stages of one request tell each other and the log. Never an address, a key or a body. */
export type RequestNotes = {
  startedAt: number;
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

export function createNotebook(): Notebook {
  const pages = new WeakMap<FastifyRequest, RequestNotes>();

  function open(request: FastifyRequest): RequestNotes {
    const notes: RequestNotes = { startedAt: performance.now(), creditsUsed: 0 };
    pages.set(request, notes);
    return notes;
  }
  const of = (request: FastifyRequest): RequestNotes => pages.get(request) ?? open(request);

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
