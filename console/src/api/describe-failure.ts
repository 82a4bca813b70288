import type { Failure } from './call.ts';

/** A failure in words for people: the event, its meaning and the remedy. */
type FailureText = { title: string; text: string };

const failureTexts: Record<string, FailureText> = {
  network_error: {
    title: 'No connection',
    text: 'The service cannot be reached. Check your network connection. The page retries when it can.',
  },
  no_answer_in_time: {
    title: 'No answer in time',
    text: 'The service took too long to answer. Try again. If this keeps happening, tell the operator.',
  },
  unexpected_answer: {
    title: 'Unexpected response',
    text: 'The response did not come from Mailproof. A proxy or gateway may have answered in its place.',
  },
  invalid_key: {
    title: 'Unknown key',
    text: 'Check that you copied the whole key. If the key was deleted, ask for a new one.',
  },
  invalid_api_key: {
    title: 'The key is no longer valid',
    text: 'It was deleted, or your session has ended. Sign in again.',
  },
  no_session: { title: 'You are not signed in', text: 'Sign in again to continue.' },
  invalid_admin_token: {
    title: 'The admin token is no longer valid',
    text: 'It was changed, or your session has ended. Sign in again.',
  },
  cross_site_request: {
    title: 'The request came from another site',
    text: 'Open the console at its own address and try again.',
  },
  too_many_credits: {
    title: 'Too many credits',
    text: 'An account cannot hold that many credits. Grant a smaller amount.',
  },
  too_many_attempts: {
    title: 'Too many attempts',
    text: 'Sign-in is slowed down after several wrong keys. Wait a moment and try again.',
  },
  csrf_token_mismatch: {
    title: 'This page is out of date',
    text: 'You have signed in again in another window. Reload this page.',
  },
  subscription_required: {
    title: 'No active plan',
    text: 'This account has no plan, so it cannot verify addresses. Ask the operator for a plan.',
  },
  insufficient_credits: {
    title: 'Not enough credits',
    text: 'The account does not have enough credits for this request. It was not started, and nothing was charged.',
  },
  invalid_email: {
    title: 'This is not a valid email address',
    text: 'An address has a name, an @ sign and a domain with a dot, such as ada@example.com.',
  },
  verification_unavailable: {
    title: 'No result',
    text: 'DNS did not say whether this domain accepts mail, or no mail server can be reached from here. Nothing was charged. Try again in a few minutes.',
  },
  verification_timeout: {
    title: 'The mail server took too long',
    text: 'There was no result before the deadline. Nothing was charged. Try again later.',
  },
  verification_failed: {
    title: 'Verification failed',
    text: 'This is an error in the service. Nothing was charged. If it happens again, send the request ID to the operator.',
  },
  service_unavailable: {
    title: 'The service is busy',
    text: 'It cannot take more requests right now. Nothing was charged. Wait a few seconds and try again.',
  },
  request_in_progress: {
    title: 'Still in progress',
    text: 'The same request is already being processed. You will not be charged twice.',
  },
  task_not_found: {
    title: 'Task not found',
    text: 'It has expired or belongs to another account. Results are kept for a limited time.',
  },
  too_many_keys: {
    title: 'Too many keys',
    text: 'An account can have 100 keys. Delete one that you no longer use.',
  },
  insufficient_scope: {
    title: 'Your key or role does not allow this',
    text: 'The key you signed in with is limited, or your role in the account does not include it. Ask an owner.',
  },
  key_limit_reached: {
    title: 'The key has used its credits for today',
    text: 'The day ends at midnight, UTC. The account itself may still have credits.',
  },
  rate_limited: {
    title: 'Too many requests',
    text: 'The account sends more requests than the operator allows. Try again in a minute.',
  },
  key_not_found: { title: 'Key not found', text: 'It may already have been deleted.' },
  live_key_required: {
    title: 'This needs a live key',
    text: 'You are signed in with a test key. Sign in with a live key to change live keys and webhooks.',
  },
  invalid_webhook_url: {
    title: 'This URL cannot be used',
    text: 'It must start with https, use port 443 or a port from 1024 on, and contain no user name or password.',
  },
  webhook_not_found: { title: 'Webhook not found', text: 'It may already have been deleted.' },
  delivery_not_found: { title: 'Delivery not found', text: 'It is no longer kept.' },
  webhook_disabled: { title: 'The endpoint is off', text: 'Switch it on first.' },
  too_many_webhooks: {
    title: 'Too many endpoints',
    text: 'An account can have 10 endpoints. Delete one that you no longer use.',
  },
  key_sign_in_off: {
    title: 'Keys do not open the console',
    text: 'The operator has switched this off. Sign in with the button above.',
  },
  provider_unavailable: {
    title: 'The sign-in service does not answer',
    text: 'Try again in a few minutes. If this keeps happening, tell the operator.',
  },
  person_not_found: { title: 'Person not found', text: 'They may already have been removed.' },
  invitation_not_found: {
    title: 'Invitation not found',
    text: 'It may have been accepted or withdrawn, or it has expired after seven days.',
  },
  last_owner: {
    title: 'The account needs an owner',
    text: 'Make another person an owner first.',
  },
  too_many_people: {
    title: 'Too many people',
    text: 'An account can have 100 people and open invitations. Remove one first.',
  },
  invalid_request: { title: 'Invalid request', text: 'Check your input and try again.' },
  account_not_found: { title: 'Account not found', text: 'Check the account ID.' },
  request_not_found: {
    title: 'Request not found',
    text: 'No verification or task has this ID. It may be mistyped or too old.',
  },
  invalid_list: {
    title: 'This list cannot be read',
    text: 'The file does not look like a list of addresses.',
  },
  list_too_large: { title: 'This list is too large', text: 'Split the file and upload the parts.' },
  unsupported_file: {
    title: 'This file type is not supported',
    text: 'Save it as .xlsx or CSV and upload the new file.',
  },
  list_not_found: {
    title: 'List not found',
    text: 'It was deleted, has expired or belongs to another account. Lists are kept for a limited time.',
  },
  wrong_list_state: {
    title: 'The list has changed',
    text: 'It was started, paused or finished elsewhere. This page now shows its current state.',
  },
  too_many_uploads: {
    title: 'Too many uploads at once',
    text: 'Wait until the other uploads of this account have finished, then try again.',
  },
  upload_stopped: { title: 'The upload was stopped', text: 'Nothing was kept.' },
  not_found: {
    title: 'Not available',
    text: 'This service does not offer this function. The admin API requires MAILPROOF_ADMIN_TOKEN to be set.',
  },
};

/**
 * Returns the texts of a failure. An unknown reason is shown by its name; the request ID helps the operator find it.
 */
export function describeFailure(failure: Failure): FailureText {
  const { reason, status, requestId, retryAfterSeconds, detail } = failure;
  const known = Object.hasOwn(failureTexts, reason) ? failureTexts[reason] : undefined;
  const { title, text } = known ?? {
    title: 'Request failed',
    text: `The service answered “${reason}”${status === undefined ? '' : ` (HTTP ${status})`}.`,
  };
  const wait = retryAfterSeconds === undefined ? '' : ` Try again in ${retryAfterSeconds} s.`;
  const isOurs = status !== undefined && status >= 500;
  const id = isOurs && requestId !== undefined ? ` Request ID: ${requestId}` : '';
  return { title, text: `${detail ?? text}${wait}${id}` };
}
