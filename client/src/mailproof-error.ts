const singleReasons = [
  'invalid_email',
  'invalid_api_key',
  'insufficient_scope',
  'subscription_required',
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
] as const;

/** The reasons for errors of `POST /api/v1/email-verification`. */
export type SingleErrorReason = (typeof singleReasons)[number];

const accountReasons = ['invalid_request', 'live_key_required', 'key_not_found', 'too_many_keys'] as const;

/** The reasons for errors of the endpoints of the account, beside those of every endpoint. */
export type AccountErrorReason = (typeof accountReasons)[number];

const listReasons = [
  'invalid_list',
  'list_too_large',
  'unsupported_file',
  'list_not_found',
  'wrong_list_state',
  'too_many_uploads',
] as const;

/** The reasons for errors of the endpoints of lists, beside those of every endpoint. */
export type ListErrorReason = (typeof listReasons)[number];

const webhookReasons = [
  'invalid_webhook_url',
  'webhook_not_found',
  'delivery_not_found',
  'webhook_disabled',
  'too_many_webhooks',
] as const;

/** The reasons for errors of the endpoints of webhooks, beside those of every endpoint. */
export type WebhookErrorReason = (typeof webhookReasons)[number];

const peopleReasons = ['person_not_found', 'invitation_not_found', 'last_owner', 'too_many_people'] as const;

/** The reasons for errors of the endpoints of people, beside those of every endpoint. */
export type PeopleErrorReason = (typeof peopleReasons)[number];

const sessionReasons = [
  'invalid_key',
  'no_session',
  'too_many_attempts',
  'csrf_token_mismatch',
  'cross_site_request',
  'key_sign_in_off',
  'provider_unavailable',
] as const;

/** The reasons for errors of the console, which sends a session cookie instead of a key, beside those of every endpoint. */
export type SessionErrorReason = (typeof sessionReasons)[number];

const operatorReasons = [
  'invalid_admin_token',
  'account_not_found',
  'request_not_found',
  'too_many_credits',
] as const;

/** The reasons for errors of the endpoints of the operator, beside those of every endpoint. */
export type OperatorErrorReason = (typeof operatorReasons)[number];

/** The reasons for errors of the two bulk endpoints. */
export type BulkErrorReason =
  Exclude<SingleErrorReason, 'invalid_email'> | 'invalid_batch' | 'task_not_found';

/** Reasons of tasks, forms and probers, and of requests that reached no endpoint. */
const otherReasons = [
  'invalid_batch',
  'task_not_found',
  'origin_not_allowed',
  'too_many_checks',
  'prober_not_known',
  'invalid_enrolment_token',
  'not_found',
  'bad_request',
  'request_timeout',
  'headers_too_large',
] as const;

const errorReasons = [
  ...singleReasons,
  ...accountReasons,
  ...listReasons,
  ...webhookReasons,
  ...peopleReasons,
  ...sessionReasons,
  ...operatorReasons,
  ...otherReasons,
];

/** Every reason that the service gives. */
export type ErrorReason = (typeof errorReasons)[number];

/** The body of every error. `detail` says more; a file that is not a list has one. */
export type ErrorBody = { status: 'error'; reason: ErrorReason; detail?: string };

export function isErrorReason(text: unknown): text is ErrorReason {
  return errorReasons.some((reason) => reason === text);
}

/**
 * The reason for a failed call: one of the contract, or one of the client. The service was not reached
 * (`network_error`), did not answer in time (`no_answer_in_time`), or a proxy answered in its place
 * (`unexpected_answer`).
 */
export type FailureReason = ErrorReason | 'network_error' | 'no_answer_in_time' | 'unexpected_answer';

type Circumstances = {
  status?: number | undefined;
  requestId?: string | undefined;
  detail?: string | undefined;
  cause?: unknown;
};

/** The one error that a client throws, apart from the caller's own abort. It never holds the API key. */
export class MailproofError extends Error {
  override readonly name = 'MailproofError';
  readonly reason: FailureReason;
  /** The HTTP status; undefined if there was no answer. */
  readonly status: number | undefined;
  /** The id to give to the operator of the service. */
  readonly requestId: string | undefined;
  /** For a file that is not a list: its content and the remedy, in words for the user. */
  readonly detail: string | undefined;

  constructor(reason: FailureReason, { status, requestId, detail, cause }: Circumstances = {}) {
    const told = status === undefined ? reason : `${reason} (HTTP ${status})`;
    super(told, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.status = status;
    this.requestId = requestId;
    this.detail = detail;
  }
}
