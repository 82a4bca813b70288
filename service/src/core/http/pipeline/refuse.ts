import { contractLimits, type ErrorReason } from '@mailproof/client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SandboxUsedUp } from '../../verify/sandbox/sandbox-allowance.ts';
import { reasonsToWait, statusOf } from '../schemas/errors.ts';
import { discardUpload } from './discard-upload.ts';
import { contextOf } from './request-context.ts';

/** Seconds after which a client may try again when there is no better estimate (a store that does not answer …). */
const defaultRetryAfterSeconds = 2;

/** The error body as it goes on the wire: these two fields and nothing else, whatever happened. */
export function errorBody(reason: ErrorReason): string {
  return `{"status":"error","reason":"${reason}"}`;
}

/** The contract has one 429, and a test key's allowance is what credits are to a live one. */
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

/** The same for a file that is no list: its owner is told what was seen and what to do. */
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

/** A large body that will not be read is not worth its connection, unless it is a file; a small one is skipped. */
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
