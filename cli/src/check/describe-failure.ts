import type { FailureReason, MailproofError } from '@mailproof/client';

export const goOn = 'what was answered is kept; the same command goes on from there';

/** Reasons that call for more than their name. */
const told: Partial<Record<FailureReason, string>> = {
  invalid_api_key: 'the service does not know this API key',
  subscription_required: 'the account of this API key has no active plan',
  insufficient_credits: `the credits of the account do not suffice for the next 100 addresses; ${goOn}`,
};

/** What the service, or the way to it, stopped a check with; in one line, with what to do. */
export function describeFailure(error: MailproofError, output: string): string {
  const { reason, status, requestId, cause } = error;
  if (reason === 'network_error') return `the service cannot be reached (${rootOf(cause)}); ${goOn}`;
  if (reason === 'task_not_found')
    return `a task that was begun is gone: it has expired, or belongs to the account of another key; remove ${output}.mailproof-journal to begin anew and pay anew`;
  const id = requestId === undefined ? '' : `, request ${requestId}`;
  return (
    told[reason] ??
    `the service answered ${reason}${status === undefined ? '' : ` (HTTP ${status}${id})`}; ${goOn}`
  );
}

function rootOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'no reason was told';
  if (cause.cause instanceof Error) return rootOf(cause.cause);
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}
