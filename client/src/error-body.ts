/** Every answer that is no success has this body and nothing else. */
export type ErrorBody = { status: 'error'; reason: ErrorReason };

/** What `POST /api/v1/email-verification` may refuse or fail with. */
export type SingleErrorReason =
  | 'invalid_email'
  | 'invalid_api_key'
  | 'subscription_required'
  | 'method_not_allowed'
  | 'request_in_progress'
  | 'idempotency_mismatch'
  | 'insufficient_credits'
  | 'verification_failed'
  | 'verification_unavailable'
  | 'service_unavailable'
  | 'verification_timeout';

/** What the two bulk endpoints may refuse or fail with. */
export type BulkErrorReason =
  Exclude<SingleErrorReason, 'invalid_email'> | 'invalid_batch' | 'task_not_found';

/** Every reason there is: those of the endpoints, and those of a request that reached none. */
export type ErrorReason =
  SingleErrorReason | BulkErrorReason | 'not_found' | 'bad_request' | 'request_timeout' | 'headers_too_large';
