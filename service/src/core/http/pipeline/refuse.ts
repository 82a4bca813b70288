import { contractLimits, type ErrorReason } from '@mailproof/client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SandboxUsedUp } from '../../verify/sandbox/sandbox-allowance.ts';
import { reasonsToWait, statusOf } from '../schemas/errors.ts';
import { discardUpload } from './discard-upload.ts';
import { contextOf } from './request-context.ts';

/** Seconds after which a client may retry, without a better estimate (such as when the store does not answer). */
const defaultRetryAfterSeconds = 2;

/** Returns the error body as sent: these two fields and nothing else, for every error. */
export function errorBody(reason: ErrorReason): string {
  return `{"status":"error","reason":"${reason}"}`;
}

/**
 * Refuses a test key without allowance. The contract has one 429, and the allowance is to a test key what credits
 * are to a live one.
 */
export function refuseSandbox(reply: FastifyReply, { retryAfterSeconds }: SandboxUsedUp): FastifyReply {
  contextOf(reply.request).fault = 'sandbox_used_up';
  return refuse(reply.header('retry-after', String(retryAfterSeconds)), 'insufficient_credits');
}

/** Answers with an error. The body is written here, so no schema, stack or message can add to it. */
export function refuse(
  reply: FastifyReply,
  reason: ErrorReason,
  retryAfterSeconds = defaultRetryAfterSeconds,
): FastifyReply {
  const status = statusOf[reason];
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (status === 503 || reasonsToWait.has(reason)) reply.header('retry-after', String(retryAfterSeconds));
  leaveBody(reply);
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(Buffer.from(errorBody(reason)));
}

/** Answers the same for a file that is no list, and tells its owner what was found and what to do. */
export function refuseList(
  reply: FastifyReply,
  { kind, message }: { kind: 'invalid_list' | 'list_too_large' | 'unsupported_file'; message: string },
): FastifyReply {
  leaveBody(reply);
  return reply
    .code(statusOf[kind])
    .header('content-type', 'application/json; charset=utf-8')
    .send(Buffer.from(JSON.stringify({ status: 'error', reason: kind, detail: message })));
}

/** Closes the connection of a large unread body, unless it is a file; a small body is skipped. */
function leaveBody(reply: FastifyReply): void {
  const { routeOptions, raw } = reply.request;
  if (raw.readableEnded) return;
  if (routeOptions.config.readsBodyItself === true) discardUpload(raw, reply.raw);
  else if (isLarge(reply.request)) reply.header('connection', 'close');
}

function isLarge({ headers }: FastifyRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': transferEncoding } = headers;
  return transferEncoding !== undefined || Number(length ?? 0) > contractLimits.bodyBytes;
}
