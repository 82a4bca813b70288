import { contractLimits, type ErrorReason } from '@mailproof/client';
import type { FastifyReply } from 'fastify';

/** The one place where a reason gets its status. */
export const statusOf: Readonly<Record<ErrorReason, number>> = {
  bad_request: 400,
  invalid_email: 400,
  invalid_batch: 400,
  invalid_request: 400,
  invalid_api_key: 401,
  invalid_admin_token: 401,
  invalid_key: 401,
  no_session: 401,
  subscription_required: 403,
  csrf_token_mismatch: 403,
  cross_site_request: 403,
  live_key_required: 403,
  not_found: 404,
  task_not_found: 404,
  account_not_found: 404,
  key_not_found: 404,
  request_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  request_in_progress: 409,
  too_many_keys: 409,
  too_many_credits: 409,
  idempotency_mismatch: 422,
  insufficient_credits: 429,
  too_many_attempts: 429,
  headers_too_large: 431,
  verification_failed: 500,
  verification_unavailable: 502,
  service_unavailable: 503,
  verification_timeout: 504,
};

/** Seconds after which a client may try again when nobody knows better (a store that does not answer …). */
const defaultRetryAfterSeconds = 2;

/** The error body as it goes on the wire: these two fields and nothing else, whatever happened. */
export function errorBody(reason: ErrorReason): string {
  return `{"status":"error","reason":"${reason}"}`;
}

/** Answers with an error. The body is written here, so no schema, stack or message can add to it. */
export function refuse(
  reply: FastifyReply,
  reason: ErrorReason,
  retryAfterSeconds = defaultRetryAfterSeconds,
): FastifyReply {
  const status = statusOf[reason];
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (status === 503 || reason === 'too_many_attempts')
    reply.header('retry-after', String(retryAfterSeconds));
  if (leavesBodyUnread(reply)) reply.header('connection', 'close');
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(Buffer.from(errorBody(reason)));
}

/** A large body nobody is going to read is not worth its connection; a small one is read past. */
function leavesBodyUnread({ request }: FastifyReply): boolean {
  if (request.raw.readableEnded) return false;
  const { 'content-length': length, 'transfer-encoding': transferEncoding } = request.headers;
  return transferEncoding !== undefined || Number(length ?? 0) > contractLimits.bodyBytes;
}
