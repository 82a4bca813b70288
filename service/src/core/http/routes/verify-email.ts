import type { ServerResponse } from 'node:http';
import { parseAddress, trimAddress } from '@mailproof/engine';
import type { ErrorReason, VerificationResult } from '@mailproof/client';
import type { VerifyOneAnswer } from '../../verify/verify-one.ts';
import type { ApiServer, RouteParts } from './http-parts.ts';
import { hashRequest, keyInMode, markReplay, readIdempotencyKey } from '../parameters/idempotency-key.ts';
import { isObject } from '../pipeline/parse-body.ts';
import { singlePath } from '../pipeline/paths.ts';
import { refuse, refuseSandbox } from '../pipeline/refuse.ts';
import { callerOf, contextOf } from '../pipeline/request-context.ts';
import { creationReasons, errorResponses } from '../schemas/errors.ts';
import { creditsHeader, requestIdHeader } from '../schemas/headers.ts';
import { explainQuery, verificationHeaders } from '../schemas/request-parameters.ts';
import { verificationRequestSchema, verificationResultSchema } from '../schemas/verification-schemas.ts';
import { byKey } from '../schemas/security.ts';

const schema = {
  operationId: 'verifyEmail',
  summary: 'Verify one address',
  description:
    'One credit is reserved and charged only when the result is conclusive, that is for every status but `unknown`.',
  tags: ['Verification'],
  security: byKey('verify'),
  body: verificationRequestSchema,
  querystring: explainQuery,
  headers: verificationHeaders,
  response: {
    200: {
      ...verificationResultSchema,
      headers: {
        ...requestIdHeader,
        ...creditsHeader('1 when the result is conclusive, else 0; a replay repeats the first figure'),
      },
    },
    ...errorResponses(['invalid_email', ...creationReasons]),
  },
};

export function addVerifyEmail(server: ApiServer, { parts, authenticateRequest }: RouteParts): void {
  server.route({
    method: 'POST',
    url: singlePath,
    schema,
    onRequest: authenticateRequest('single', 'verify'),
    preValidation: (request, _reply, done) => {
      trimEmail(request.body);
      done();
    },
    handler: async (request, reply) => {
      const caller = callerOf(request);
      const parsed = parseAddress(request.body.email);
      const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
      if (parsed.kind === 'invalid' || idempotencyKey.kind === 'malformed')
        return refuse(reply, 'invalid_email');

      const { email, host } = parsed.address;
      contextOf(request).address = { hash: parts.hashAddress(email), domain: host };
      const explain = request.query.explain === 'true';
      const answer = await parts.verifyOne({
        requestId: request.id,
        caller,
        address: parsed.address,
        idempotency:
          idempotencyKey.kind === 'absent'
            ? undefined
            : {
                key: keyInMode(idempotencyKey.key, caller.mode),
                bodyHash: hashRequest('single', caller.mode, [email]),
              },
        explain,
        isFresh: asksAnew(request.headers['cache-control']),
        signal: abortWhenClosed(reply.raw),
      });
      if (answer.kind === 'sandbox_used_up') return refuseSandbox(reply, answer);
      if (answer.kind === 'key_limit_reached') return refuse(reply, answer.kind, answer.retryAfterSeconds);
      if (answer.kind !== 'verified') return refuse(reply, verificationRefusal(answer));

      const { creditsUsed, replayed } = answer;
      // The header repeats what the first answer said, which the client may have lost; the log says what was charged now.
      contextOf(request).creditsUsed = replayed ? 0 : creditsUsed;
      const result: VerificationResult = explain
        ? { ...answer.verdict, explanation: answer.explanation }
        : answer.verdict;
      return markReplay(reply, replayed).code(200).header('x-credits-used', String(creditsUsed)).send(result);
    },
  });
}

/** `no-cache` (RFC 9111 section 5.2.1.4): an answer that was given before will not do. */
function asksAnew(cacheControl: string | undefined): boolean {
  return cacheControl?.split(',').some((directive) => directive.trim().toLowerCase() === 'no-cache') ?? false;
}

/** White space around the address is no part of it, so it is gone before the length is looked at. */
function trimEmail(body: unknown): void {
  if (isObject(body) && typeof body['email'] === 'string') body['email'] = trimAddress(body['email']);
}

/** A signal that fires when the client hangs up before it has its answer, so that the work can stop. */
function abortWhenClosed(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const onClose = () => {
    if (!response.writableEnded) controller.abort();
  };
  if (response.closed) onClose();
  else response.on('close', onClose);
  return controller.signal;
}

function verificationRefusal({
  kind,
}: Exclude<VerifyOneAnswer, { kind: 'verified' | 'key_limit_reached' }>): ErrorReason {
  switch (kind) {
    case 'insufficient_credits':
    case 'request_in_progress':
    case 'idempotency_mismatch':
      return kind;
    case 'account_frozen':
      return 'service_unavailable';
    case 'unavailable':
      return 'verification_unavailable';
    case 'timeout':
      return 'verification_timeout';
  }
}
