import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Caller } from '../keys/authenticate.ts';
import type { WorkKind } from './admission.ts';
import type { Door } from './door.ts';
import { findSession } from './find-session.ts';
import type { HttpParts } from './http-parts.ts';
import { refuse } from './refuse.ts';
import type { Notebook } from './request-notes.ts';

/**
 * The checks in front of every API endpoint, in their order: overload or drain (503), key or session (401, 403), plan
 * (403). They run before the body is read, so that a stranger costs neither memory nor parsing.
 */
export type Gate = (kind: WorkKind) => onRequestAsyncHookHandler[];

export function createGate(
  parts: Pick<HttpParts, 'authenticate' | 'sessions'>,
  door: Door,
  notebook: Notebook,
): Gate {
  /** Reading needs a key only; creating needs a plan too. */
  function authenticateFor(kind: WorkKind) {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const { authorization, cookie } = request.headers;
      if (authorization === undefined && cookie !== undefined) return letSessionIn(request, reply, kind);
      const caller = await parts.authenticate(authorization);
      return letIn(caller, { request, reply, kind });
    };
  }

  /** A browser that has signed in sends a cookie and no key. */
  async function letSessionIn(request: FastifyRequest, reply: FastifyReply, kind: WorkKind) {
    const found = await findSession(request, parts.sessions);
    if (found.kind === 'refused') return refuse(reply, found.reason);
    const caller =
      found.kind === 'found' && found.session.kind === 'account' ? found.session.caller : undefined;
    return letIn(caller, { request, reply, kind });
  }

  function letIn(caller: Caller | undefined, { request, reply, kind }: Asked): FastifyReply | undefined {
    if (caller === undefined) {
      notebook.of(request).fault = request.headers.authorization === undefined ? 'no_key' : 'key_not_known';
      return refuse(reply, 'invalid_api_key');
    }
    notebook.of(request).caller = caller;
    return createsWork(kind) && caller.plan === 'none' ? refuse(reply, 'subscription_required') : undefined;
  }

  return (kind) => [door(kind), authenticateFor(kind)];
}

type Asked = { request: FastifyRequest; reply: FastifyReply; kind: WorkKind };

function createsWork(kind: WorkKind): boolean {
  return kind === 'single' || kind === 'bulk';
}
