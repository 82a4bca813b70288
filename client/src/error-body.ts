import type { ListErrorReason } from './list-record.ts';
import type { PeopleErrorReason } from './people.ts';
import type { WebhookErrorReason } from './webhook.ts';

/** Every answer that is no success has this body. `detail` says more, and is there for files that are no list alone. */
export type ErrorBody = { status: 'error'; reason: ErrorReason; detail?: string };

/** What `POST /api/v1/email-verification` may refuse or fail with. */
export type SingleErrorReason =
  | 'invalid_email'
  | 'invalid_api_key'
  | 'insufficient_scope'
  | 'subscription_required'
  | 'method_not_allowed'
  | 'request_in_progress'
  | 'idempotency_mismatch'
  | 'insufficient_credits'
  | 'key_limit_reached'
  | 'rate_limited'
  | 'verification_failed'
  | 'verification_unavailable'
  | 'service_unavailable'
  | 'verification_timeout';

/** What the two bulk endpoints may refuse or fail with. */
export type BulkErrorReason =
  Exclude<SingleErrorReason, 'invalid_email'> | 'invalid_batch' | 'task_not_found';

/** What a browser may be refused with, which signs in and then sends a cookie in place of a key. */
export type SessionErrorReason =
  | 'invalid_key'
  | 'no_session'
  | 'too_many_attempts'
  | 'csrf_token_mismatch'
  | 'cross_site_request'
  | 'key_sign_in_off'
  | 'provider_unavailable';

/** What the endpoints of the account may refuse, beside what every endpoint does. */
export type AccountErrorReason = 'invalid_request' | 'live_key_required' | 'key_not_found' | 'too_many_keys';

/** What the check of a form may be refused with, beside what every endpoint does. */
export type FormErrorReason = 'origin_not_allowed' | 'too_many_checks';

/** What the endpoints of the operator may refuse, beside what those of the account do. */
export type OperatorErrorReason =
  'invalid_admin_token' | 'account_not_found' | 'request_not_found' | 'too_many_credits';

/** What a prober may be refused with. */
export type ProberErrorReason = 'prober_not_known' | 'invalid_enrolment_token';

/** Every reason there is: those of the endpoints, and those of a request that reached none. */
export type ErrorReason =
  | SingleErrorReason
  | BulkErrorReason
  | SessionErrorReason
  | AccountErrorReason
  | ProberErrorReason
  | OperatorErrorReason
  | ListErrorReason
  | FormErrorReason
  | WebhookErrorReason
  | PeopleErrorReason
  | 'not_found'
  | 'bad_request'
  | 'request_timeout'
  | 'headers_too_large';
