import type { ErrorReason } from '@mailproof/client';
import { Type } from 'typebox';
import { creditsHeader, requestIdHeader, retryAfterHeader } from './headers.ts';
import { stringEnum } from './string-enum.ts';

/** The one place where a reason gets its status. */
export const statusOf: Readonly<Record<ErrorReason, number>> = {
  bad_request: 400,
  invalid_email: 400,
  invalid_batch: 400,
  invalid_request: 400,
  invalid_list: 400,
  invalid_webhook_url: 400,
  invalid_api_key: 401,
  invalid_admin_token: 401,
  invalid_key: 401,
  no_session: 401,
  prober_not_known: 401,
  invalid_enrolment_token: 401,
  subscription_required: 403,
  insufficient_scope: 403,
  csrf_token_mismatch: 403,
  cross_site_request: 403,
  live_key_required: 403,
  key_sign_in_off: 403,
  origin_not_allowed: 403,
  not_found: 404,
  task_not_found: 404,
  list_not_found: 404,
  account_not_found: 404,
  key_not_found: 404,
  request_not_found: 404,
  webhook_not_found: 404,
  delivery_not_found: 404,
  person_not_found: 404,
  invitation_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  request_in_progress: 409,
  wrong_list_state: 409,
  too_many_keys: 409,
  too_many_credits: 409,
  webhook_disabled: 409,
  too_many_webhooks: 409,
  last_owner: 409,
  too_many_people: 409,
  list_too_large: 413,
  unsupported_file: 415,
  idempotency_mismatch: 422,
  insufficient_credits: 429,
  key_limit_reached: 429,
  rate_limited: 429,
  too_many_attempts: 429,
  too_many_uploads: 429,
  too_many_checks: 429,
  headers_too_large: 431,
  verification_failed: 500,
  verification_unavailable: 502,
  provider_unavailable: 502,
  service_unavailable: 503,
  verification_timeout: 504,
};

/** What each reason means, for the reference. */
const meanings: Readonly<Record<ErrorReason, string>> = {
  bad_request: 'The request is not valid HTTP',
  invalid_email: 'The request has no valid email address',
  invalid_batch:
    '`emails` is missing, empty, holds more than 100 entries or invalid data, or `name` is too long',
  invalid_request: 'A parameter or the body is not as described',
  invalid_api_key:
    'The key is missing, invalid, deleted or expired, or may not be used from the address of the client',
  invalid_admin_token: 'The admin token is missing or wrong',
  invalid_key: 'The key or admin token is wrong',
  no_session: 'Not signed in',
  csrf_token_mismatch: 'With a session cookie, every change needs the `X-CSRF-Token` of the session',
  cross_site_request: 'With a session cookie, only pages of this service may send requests',
  live_key_required: 'A test key may not create or delete live keys',
  prober_not_known: 'The prober’s secret is missing or wrong, or the prober was removed',
  invalid_enrolment_token: 'The token is wrong, was used already, or is older than an hour',
  subscription_required: 'The account has no active paid plan',
  insufficient_scope: 'The key’s scopes or other limits, or the person’s role, do not allow this',
  key_sign_in_off: 'The operator has switched off signing in with keys and tokens; sign in with the provider',
  provider_unavailable:
    'The OpenID provider does not answer, or not as it should; the operator’s log says why',
  person_not_found: 'The account has no person with this id',
  invitation_not_found: 'The account has no open invitation with this id',
  last_owner: 'The account would be left without an owner; make somebody else an owner first',
  too_many_people: 'The account has the maximum number of people and invitations; remove one first',
  not_found: 'This path does not exist',
  account_not_found: 'This account does not exist',
  key_not_found: 'The account has no key with this id',
  request_not_found: 'No request with this id reserved credits or created a task that is still kept',
  invalid_list: 'The file is not a list of addresses; `detail` says what was seen and what to do',
  list_too_large:
    'The file has more rows or bytes than a list may have, or does not fit beside the other lists of the account; `detail` says which and what to do',
  unsupported_file: 'This kind of file is not read; `detail` says what to do',
  list_not_found: 'The list does not exist, has expired, or belongs to another account',
  wrong_list_state: 'The list is not in a state in which this can be done',
  invalid_webhook_url:
    'The URL is no `https` URL on port 443 or from 1024 on, or carries a user name, a password or a fragment',
  webhook_not_found: 'The account has no webhook with this id',
  delivery_not_found: 'Nothing with this id was sent to the webhook, or it is no longer kept',
  webhook_disabled: 'The webhook is off: switch it on first',
  too_many_webhooks: 'The account has the maximum number of webhooks; delete one first',
  too_many_uploads: 'The account uploads as many lists at once as it may; try again when one is done',
  origin_not_allowed: 'This key may not be used from the page that sent the request',
  too_many_checks: 'The key, or this visitor, has used up the checks of the day; see `Retry-After`',
  task_not_found: 'The task does not exist, has expired, or belongs to another account',
  method_not_allowed: 'The method is not the one in the `Allow` header',
  request_timeout: 'The request did not arrive in time',
  request_in_progress:
    'The first request with this `Idempotency-Key` is still running; try again after `Retry-After` seconds',
  too_many_keys: 'The account has the maximum number of keys; delete one first',
  too_many_credits: 'The account would hold more credits than can be counted',
  idempotency_mismatch: 'This `Idempotency-Key` was used with another body',
  insufficient_credits: 'Not enough available credits',
  key_limit_reached:
    'The request would exceed the credits a day that the key is limited to; `Retry-After` says when the next day begins, in UTC',
  rate_limited:
    'The account or the key sends more requests than it may (see `RateLimit`), or more test and repeated messages to webhooks; try again after `Retry-After` seconds',
  too_many_attempts: 'Too many wrong attempts; try again after `Retry-After` seconds',
  headers_too_large: 'The header is over 8 KiB or has over 64 fields',
  verification_failed: 'Unexpected failure',
  verification_unavailable: 'No verification result could be obtained',
  service_unavailable: 'Temporarily unavailable; try again after `Retry-After` seconds',
  verification_timeout: 'Verification did not finish before the timeout',
};

/** What either creation call may be refused with, besides its own reason for a bad body. */
export const creationReasons = [
  'invalid_api_key',
  'insufficient_scope',
  'subscription_required',
  'csrf_token_mismatch',
  'cross_site_request',
  'method_not_allowed',
  'request_in_progress',
  'idempotency_mismatch',
  'insufficient_credits',
  'key_limit_reached',
  'rate_limited',
  'verification_failed',
  'verification_unavailable',
  'service_unavailable',
  'verification_timeout',
] as const satisfies readonly ErrorReason[];

/** What every endpoint of the account may be refused with. */
export const accountReasons = [
  'invalid_api_key',
  'insufficient_scope',
  'rate_limited',
  'cross_site_request',
  'method_not_allowed',
  'verification_failed',
  'service_unavailable',
] as const satisfies readonly ErrorReason[];

/** The error responses of a route, one a status, as its schema and the reference take them. */
export function errorResponses(
  reasons: readonly ErrorReason[],
  { credits = true }: { credits?: boolean } = {},
): Record<number, object> {
  const byStatus = Map.groupBy(reasons, (reason) => statusOf[reason]);
  return Object.fromEntries([...byStatus].map(([status, those]) => [status, errorResponse(those, credits)]));
}

/** A file that is no list is refused with what was seen and what to do. */
const detailedReasons: ReadonlySet<ErrorReason> = new Set([
  'invalid_list',
  'list_too_large',
  'unsupported_file',
]);

/** Those that say when to try again, beside every 503. */
export const reasonsToWait: ReadonlySet<ErrorReason> = new Set([
  'request_in_progress',
  'too_many_attempts',
  'too_many_checks',
  'key_limit_reached',
  'rate_limited',
]);

const everyReason = Object.keys(statusOf) as ErrorReason[];

/**
 * One record for all errors, so that a generated client has one type for them; which reasons a response may have stand in
 * its examples, by name, and the tests hold answers to these.
 */
const errorProperties = {
  status: Type.Literal('error'),
  reason: stringEnum(everyReason, {
    description: 'Decide by this; each response has the reasons of its examples',
  }),
};
const errorOptions = {
  title: 'Error',
  description: 'Why a request was refused. Nothing was charged',
  additionalProperties: false,
};
const errorSchema = Type.Object(errorProperties, errorOptions);
const listErrorSchema = Type.Object(
  {
    ...errorProperties,
    detail: Type.Optional(Type.String({ description: 'What was seen in the file, and what to do' })),
  },
  { ...errorOptions, title: 'ListError' },
);

/** `credits`: whether the endpoint is one of those that say what a call cost. */
function errorResponse(reasons: readonly ErrorReason[], credits: boolean): object {
  const waits = reasons.every((reason) => statusOf[reason] === 503 || reasonsToWait.has(reason));
  return {
    ...(reasons.some((reason) => detailedReasons.has(reason)) ? listErrorSchema : errorSchema),
    'x-response-description': reasons.map((reason) => `\`${reason}\`: ${meanings[reason]}`).join('. '),
    'x-examples': Object.fromEntries(
      reasons.map((reason) => [reason, { value: { status: 'error', reason } }]),
    ),
    headers: {
      ...requestIdHeader,
      ...(credits ? creditsHeader('Always 0: an error is never charged') : {}),
      ...(waits ? retryAfterHeader : {}),
    },
  };
}
