import type { ErrorReason } from '@mailproof/client';
import { Type } from 'typebox';
import { statusOf } from '../refuse.ts';
import { creditsHeader, requestIdHeader, retryAfterHeader } from './headers.ts';

/** What stands behind each reason, for the reference. */
const meanings: Readonly<Record<ErrorReason, string>> = {
  bad_request: 'The request is not valid HTTP',
  invalid_email: 'The request has no valid email address',
  invalid_batch:
    '`emails` is missing, empty, holds more than 100 entries or invalid data, or `name` is too long',
  invalid_api_key: 'The key is missing, invalid or deleted',
  subscription_required: 'The account has no active paid plan',
  not_found: 'There is no such path',
  task_not_found: 'The task does not exist, has expired, or belongs to another account',
  method_not_allowed: 'The method is not the one in the `Allow` header',
  request_timeout: 'The request did not arrive in time',
  request_in_progress: 'The first request with this `Idempotency-Key` is still running',
  idempotency_mismatch: 'This `Idempotency-Key` was used with another body',
  insufficient_credits: 'Not enough available credits',
  headers_too_large: 'The header is over 8 KiB or has over 64 fields',
  verification_failed: 'Unexpected failure',
  verification_unavailable: 'No verification result could be obtained',
  service_unavailable: 'Temporarily unavailable; try again after `Retry-After` seconds',
  verification_timeout: 'Verification did not finish before the timeout',
};

/** What either creation call may be refused with, beside its own word for a bad body. */
export const creationReasons = [
  'invalid_api_key',
  'subscription_required',
  'method_not_allowed',
  'request_in_progress',
  'idempotency_mismatch',
  'insufficient_credits',
  'verification_failed',
  'verification_unavailable',
  'service_unavailable',
  'verification_timeout',
] as const satisfies readonly ErrorReason[];

/** The error responses of a route, one a status, as its schema and the reference take them. */
export function errorResponses(reasons: readonly ErrorReason[]): Record<number, object> {
  return Object.fromEntries(reasons.map((reason) => [statusOf[reason], errorResponse(reason)]));
}

function errorResponse(reason: ErrorReason): object {
  return Type.Object(
    { status: Type.Literal('error'), reason: Type.Literal(reason) },
    {
      description: meanings[reason],
      additionalProperties: false,
      examples: [{ status: 'error', reason }],
      headers: {
        ...requestIdHeader,
        ...creditsHeader('Always 0: an error is never charged'),
        ...(statusOf[reason] === 503 ? retryAfterHeader : {}),
      },
    },
  );
}
