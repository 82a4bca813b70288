import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler, onRequestHookHandler } from 'fastify';
import type { AdminToken } from '../../keys/admin-token.ts';
import type { SignIns } from './slow-sign-ins.ts';
import type { AdmitRequest } from './admit-request.ts';
import type { FindVisitor } from './authenticate-request.ts';
import { refuse } from './refuse.ts';
import { contextOf } from './request-context.ts';
import { readBearer } from '../../keys/read-bearer.ts';

export type OperatorChecks = (onRequestHookHandler | onRequestAsyncHookHandler)[];

type OperatorCheckParts = {
  adminToken: AdminToken;
  findVisitor?: FindVisitor | undefined;
  signIns: SignIns;
  admitRequest: AdmitRequest;
};

/**
 * The checks in front of every endpoint of the operator: overload or drain (503), then the token, or a session that it
 * opened (401, 403); guessing is slowed (429). Where no token is set, no such path exists (see receive-request.ts).
 */
export function authenticateOperator({
  adminToken,
  findVisitor,
  signIns,
  admitRequest,
}: OperatorCheckParts): OperatorChecks {
  const requireToken = async (request: FastifyRequest, reply: FastifyReply) => {
    const { authorization, cookie } = request.headers;
    if (authorization === undefined && cookie !== undefined) {
      const found = await findVisitor?.(request);
      if (found?.kind === 'refused') return refuse(reply, found.reason);
      if (found?.kind === 'operator') {
        letIn(request);
        return;
      }
    }
    const presented = readBearer(authorization, 1_024);
    if (presented !== undefined) {
      const attempt = signIns.begin(contextOf(request).client, 'token');
      if (attempt.kind === 'wait') return refuse(reply, 'too_many_attempts', attempt.seconds);
      if (adminToken.matches(presented)) {
        attempt.succeeded();
        letIn(request);
        return;
      }
    }
    contextOf(request).fault = authorization === undefined ? 'no_token' : 'token_not_known';
    return refuse(reply, 'invalid_admin_token');
  };

  return [admitRequest('account'), requireToken];
}

/** Wherever the operator comes from, nobody there takes his places. */
function letIn(request: FastifyRequest): void {
  contextOf(request).work = { kind: 'account', asker: 'operator' };
}
