import type { Explanation } from '@mailproof/client';
import { parseAddress, type Verdict } from '@mailproof/engine';

/** What we end with ourselves where the engine had no verdict to give: nothing was looked at, so nothing is said. */
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

/** How an address of a task ended. */
export type Result = { verdict: TaskVerdict; explanation: Explanation; conclusive: boolean };

/** An address that could not be verified. It is never charged. */
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

/** The task's deadline came before an answer did. */
export const deadlineReached: Explanation = {
  stage: 'syntax',
  reason: 'deadline_reached',
  retry: { advised: true, after_seconds: 60 },
  replies: [],
  timings_ms: { total: 0 },
};

/** Verifying it failed again and again for a reason that lies with us. */
export const internalError: Explanation = {
  stage: 'syntax',
  reason: 'internal_error',
  retry: { advised: true, after_seconds: 3_600 },
  replies: [],
  timings_ms: { total: 0 },
};
