import type { Explanation } from '@mailproof/client';
import { parseAddress, type Verdict } from '@mailproof/engine';

/** Our own verdict if the engine had none to give: nothing was checked, so nothing is said. */
type UnverifiedVerdict = {
  email: string;
  status: 'unknown';
  username: string;
  domain: string;
  is_valid_syntax: true;
  /** Not known. */
  mx_accepts_mail?: never;
  verification_mode: 'power';
};

export type TaskVerdict = Verdict | UnverifiedVerdict;

/** The result for an address of a task. */
export type Result = { verdict: TaskVerdict; explanation: Explanation; conclusive: boolean };

/** Returns the result for an address that could not be verified. It is never charged. */
export function unverified(email: string, explanation: Explanation): Result {
  const parsed = parseAddress(email);
  const { username, domain } =
    parsed.kind === 'valid'
      ? parsed.address
      : { username: email.slice(0, email.lastIndexOf('@')), domain: '' };
  const verdict = {
    email,
    status: 'unknown' as const,
    username,
    domain,
    is_valid_syntax: true as const,
    verification_mode: 'power' as const,
  };
  return { verdict, explanation, conclusive: false };
}

/** The task's deadline came before an answer. */
export const deadlineReached: Explanation = {
  stage: 'syntax',
  reason: 'deadline_reached',
  retry: { advised: true, after_seconds: 60 },
  replies: [],
  timings_ms: { total: 0 },
};

/** Verification failed repeatedly for a reason on our side. */
export const internalError: Explanation = {
  stage: 'syntax',
  reason: 'internal_error',
  retry: { advised: true, after_seconds: 3_600 },
  replies: [],
  timings_ms: { total: 0 },
};
