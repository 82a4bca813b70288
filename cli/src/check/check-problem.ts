import type { FailureReason, MailproofError } from '@mailproof/client';
import type { ExitCode } from '../exit-codes.ts';

/** What stops a check for a reason outside of it. The message is the one line that is shown. */
export class CheckProblem extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const howToResume = 'Results so far are kept. To resume, run the same command again.';

/** Reasons that need more words than their name. */
const failureTexts: Partial<Record<FailureReason, string>> = {
  invalid_api_key: 'The service does not know this API key.',
  subscription_required: 'The account of this API key has no active plan.',
  insufficient_credits: `The account does not have enough credits for the next 100 addresses. ${howToResume}`,
};

/** Why the service, or the connection to it, stopped a check; one line, with what to do. */
export function describeFailure(error: MailproofError, output: string): string {
  const { reason, status, requestId, cause } = error;
  if (reason === 'network_error') return `The service cannot be reached (${rootOf(cause)}). ${howToResume}`;
  if (reason === 'task_not_found')
    return `A task of this run no longer exists: it has expired, or it belongs to another account. To start over and pay again, remove ${output}.mailproof-journal.`;
  const id = requestId === undefined ? '' : `, request ${requestId}`;
  return (
    failureTexts[reason] ??
    `The service answered ${reason}${status === undefined ? '' : ` (HTTP ${status}${id})`}. ${howToResume}`
  );
}

function rootOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown cause';
  if (cause.cause instanceof Error) return rootOf(cause.cause);
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}
