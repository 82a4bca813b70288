import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
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
export type Gate = (kind: WorkKind) => onRequestHookHandler[];

export function createGate(
  parts: Pick<HttpParts, 'authenticate' | 'sessions'>,
  door: Door,
  notebook: Notebook,
): Gate {
  /** Reading needs a key only; creating needs a plan too. */
  function authenticateFor(kind: WorkKind): onRequestHookHandler {
    return (request, reply, done) => {
      const { authorization, cookie } = request.headers;
      const asked = { request, reply, kind, done };
      if (authorization === undefined && cookie !== undefined) {
        letSessionIn(asked).catch(done);
        return;
      }
      // A key that was good a moment ago is known at once, and its request is not made to wait a turn.
      const caller = parts.authenticate(authorization);
      if (caller instanceof Promise) caller.then((found) => letIn(found, asked)).catch(done);
      else letIn(caller, asked);
    };
  }

  /** A browser that has signed in sends a cookie and no key. */
  async function letSessionIn(asked: Asked): Promise<void> {
    const found = await findSession(asked.request, parts.sessions);
    if (found.kind === 'refused') {
      void refuse(asked.reply, found.reason);
      return;
    }
    const session = found.kind === 'found' ? found.session : undefined;
    letIn(session?.kind === 'account' ? session.caller : undefined, asked);
  }

  function letIn(caller: Caller | undefined, { request, reply, kind, done }: Asked): void {
    if (caller === undefined) {
      notebook.of(request).fault = request.headers.authorization === undefined ? 'no_key' : 'key_not_known';
      void refuse(reply, 'invalid_api_key');
      return;
    }
    notebook.of(request).caller = caller;
    if (createsWork(kind) && caller.plan === 'none') void refuse(reply, 'subscription_required');
    else done();
  }

  return (kind) => [door(kind), authenticateFor(kind)];
}

type Asked = {
  request: FastifyRequest;
  reply: FastifyReply;
  kind: WorkKind;
  done: (error?: Error) => void;
};

function createsWork(kind: WorkKind): boolean {
  return kind === 'single' || kind === 'bulk';
}
