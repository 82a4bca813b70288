import type { ErrorReason } from './error-body.ts';

/** Every reason of the contract, complete by its type, so that a stranger's answer can be told from ours. */
const errorReasons: Record<ErrorReason, true> = {
  invalid_email: true,
  invalid_batch: true,
  invalid_api_key: true,
  subscription_required: true,
  method_not_allowed: true,
  request_in_progress: true,
  idempotency_mismatch: true,
  insufficient_credits: true,
  verification_failed: true,
  verification_unavailable: true,
  service_unavailable: true,
  verification_timeout: true,
  task_not_found: true,
  invalid_key: true,
  no_session: true,
  too_many_attempts: true,
  csrf_token_mismatch: true,
  cross_site_request: true,
  invalid_request: true,
  live_key_required: true,
  key_not_found: true,
  too_many_keys: true,
  invalid_admin_token: true,
  account_not_found: true,
  request_not_found: true,
  too_many_credits: true,
  invalid_list: true,
  list_too_large: true,
  unsupported_file: true,
  list_not_found: true,
  wrong_list_state: true,
  too_many_uploads: true,
  prober_not_known: true,
  invalid_enrolment_token: true,
  not_found: true,
  bad_request: true,
  request_timeout: true,
  headers_too_large: true,
};

export function isErrorReason(text: unknown): text is ErrorReason {
  return typeof text === 'string' && Object.hasOwn(errorReasons, text);
}
