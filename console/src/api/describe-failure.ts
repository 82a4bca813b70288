import type { Failure } from './failure.ts';

/** A failure as a person reads it: what happened, and what to do. */
type Told = { title: string; text: string };

const told: Record<string, Told> = {
  network_error: {
    title: 'No connection',
    text: 'The service cannot be reached. Check your network; the page tries again by itself where it can.',
  },
  no_answer_in_time: {
    title: 'No answer in time',
    text: 'The service took too long. Try again; if it stays like this, tell the operator.',
  },
  unexpected_answer: {
    title: 'Something else answered',
    text: 'The answer did not come from Mailproof. A proxy or gateway in between may be in the way.',
  },
  invalid_key: {
    title: 'This key is not known',
    text: 'Check that all of it was copied. A key that was deleted stays deleted: ask for a new one.',
  },
  invalid_api_key: {
    title: 'The key is not known any more',
    text: 'It was deleted, or your session has ended. Sign in again.',
  },
  no_session: { title: 'You are not signed in', text: 'Sign in again to go on.' },
  invalid_admin_token: {
    title: 'The admin token is not valid any more',
    text: 'It was changed, or your session has ended. Sign in again.',
  },
  cross_site_request: {
    title: 'The request came from another site',
    text: 'Open the console at its own address and try again.',
  },
  too_many_credits: {
    title: 'That is more than an account can hold',
    text: 'Grant a smaller amount.',
  },
  too_many_attempts: {
    title: 'Too many attempts',
    text: 'Signing in is slowed down after several wrong keys. Wait a little and try again.',
  },
  csrf_token_mismatch: {
    title: 'This page is out of date',
    text: 'You have signed in again elsewhere since it was opened. Reload it.',
  },
  subscription_required: {
    title: 'No active plan',
    text: 'The account of this key has no plan, so nothing can be verified. Ask the operator to give it one.',
  },
  insufficient_credits: {
    title: 'Not enough credits',
    text: 'What was asked could not be paid for, so it was not begun and nothing was charged for it.',
  },
  invalid_email: {
    title: 'This is no email address',
    text: 'An address has something before an @ and a domain with a dot after it, such as ada@example.com.',
  },
  verification_unavailable: {
    title: 'No result could be obtained',
    text: 'DNS does not tell whether this domain takes mail, or no mail host can be reached from here. Nothing was charged; try again in a few minutes.',
  },
  verification_timeout: {
    title: 'The mail host took too long',
    text: 'There was no verdict before the deadline. Nothing was charged; try again later.',
  },
  verification_failed: {
    title: 'Verifying failed',
    text: 'The fault is on our side. Nothing was charged; if it happens again, tell the operator the request id.',
  },
  service_unavailable: {
    title: 'The service is busy',
    text: 'It turns requests away for the moment. Nothing was charged; wait a few seconds and try again.',
  },
  request_in_progress: {
    title: 'Still being worked on',
    text: 'The same request is under way. Its answer comes without being paid again.',
  },
  task_not_found: {
    title: 'There is no such task',
    text: 'It has expired, or belongs to another account. Results are kept for a limited time.',
  },
  too_many_keys: {
    title: 'There are too many keys',
    text: 'An account may have 100. Delete one that is not used any more.',
  },
  key_not_found: { title: 'There is no such key', text: 'It may have been deleted already.' },
  live_key_required: {
    title: 'A live key is needed for this',
    text: 'You are signed in with a test key. Sign in with a live key to make or delete live keys.',
  },
  invalid_request: { title: 'That was not understood', text: 'Check what was entered and try again.' },
  account_not_found: { title: 'There is no such account', text: 'Check the id.' },
  request_not_found: {
    title: 'No such request',
    text: 'No verification and no task is known by this id. It may be mistyped, or too old.',
  },
  not_found: {
    title: 'Not available',
    text: 'This service does not offer it. The admin API needs MAILPROOF_ADMIN_TOKEN to be set.',
  },
};

/** What is not in the table is told by its name; the request id helps the operator find it. */
export function describeFailure({ reason, status, requestId, retryAfterSeconds }: Failure): Told {
  const known = Object.hasOwn(told, reason) ? told[reason] : undefined;
  const { title, text } = known ?? {
    title: 'That did not work',
    text: `The service answered “${reason}”${status === undefined ? '' : ` (HTTP ${status})`}.`,
  };
  const wait = retryAfterSeconds === undefined ? '' : ` Try again in ${retryAfterSeconds} s.`;
  const isOurs = status !== undefined && status >= 500;
  const id = isOurs && requestId !== undefined ? ` Request id: ${requestId}` : '';
  return { title, text: `${text}${wait}${id}` };
}
