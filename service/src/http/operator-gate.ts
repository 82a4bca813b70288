import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify';
import type { Door } from './door.ts';
import { findSession } from './find-session.ts';
import type { HttpParts } from './http-parts.ts';
import { refuse } from './refuse.ts';
import type { Notebook } from './request-notes.ts';

export type GateHooks = (onRequestHookHandler | onRequestAsyncHookHandler)[];

/**
 * The checks in front of every endpoint of the operator: overload or drain (503), then the token, or a session that it
 * opened (401, 403). Where no token is set, no such path is there (see meet-request.ts).
 */
type OperatorGate = () => GateHooks;

export function createOperatorGate(
  { adminToken, sessions }: Pick<HttpParts, 'adminToken' | 'sessions'>,
  door: Door,
  notebook: Notebook,
): OperatorGate {
  const demandToken = async (request: FastifyRequest, reply: FastifyReply) => {
    const { authorization, cookie } = request.headers;
    if (authorization === undefined && cookie !== undefined) {
      const found = await findSession(request, sessions);
      if (found.kind === 'refused') return refuse(reply, found.reason);
      if (found.kind === 'found' && found.session.kind === 'operator') return;
    }
    const [, presented] = /^bearer +(\S{1,1024}) *$/i.exec(authorization ?? '') ?? [];
    if (presented !== undefined && adminToken.matches(presented)) return;
    notebook.of(request).fault = authorization === undefined ? 'no_token' : 'token_not_known';
    return refuse(reply, 'invalid_admin_token');
  };

  return () => [door('account'), demandToken];
}
