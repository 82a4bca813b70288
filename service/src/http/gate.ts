import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { WorkKind } from './admission.ts';
import type { HttpParts } from './http-parts.ts';
import { refuse } from './refuse.ts';
import type { Notebook } from './request-notes.ts';

/**
 * The checks in front of every API endpoint, in their order: overload or drain (503), key (401), plan
 * (403). They run before the body is read, so that a stranger costs neither memory nor parsing.
 */
export type Gate = (kind: WorkKind) => onRequestAsyncHookHandler[];

export function createGate(parts: Pick<HttpParts, 'admission' | 'authenticate'>, notebook: Notebook): Gate {
  function admitAs(kind: WorkKind) {
    return async (_request: FastifyRequest, reply: FastifyReply) => {
      const admittance = await parts.admission.admit(kind);
      switch (admittance.kind) {
        case 'admitted':
          leaveWhenClosed(reply, admittance.leave);
          return;
        case 'refused':
          return refuse(reply, 'service_unavailable', admittance.retryAfterSeconds);
      }
    };
  }

  /** Reading needs a key only; creating needs a plan too. */
  function authenticateFor(kind: WorkKind) {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const caller = await parts.authenticate(request.headers.authorization);
      if (caller === undefined) {
        notebook.of(request).fault = request.headers.authorization === undefined ? 'no_key' : 'key_not_known';
        return refuse(reply, 'invalid_api_key');
      }
      notebook.of(request).caller = caller;
      if (kind !== 'read' && caller.plan === 'none') return refuse(reply, 'subscription_required');
      return;
    };
  }

  return (kind) => [admitAs(kind), authenticateFor(kind)];
}

/** The place is given back when the response is done with, sent or not. */
function leaveWhenClosed(reply: FastifyReply, leave: () => void): void {
  if (reply.raw.closed) leave();
  else reply.raw.once('close', leave);
}
