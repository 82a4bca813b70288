import type { Explanation } from '@mailproof/engine';
import type { VerifyOneAnswer, VerifyOneRequest } from './verify-one.ts';

export type CountedVerification = {
  /** A status, or the way in which a verification ended without one. */
  outcome: string;
  /** Set for `unknown` only. */
  reason: string;
  mailHost: string | undefined;
  /** Absent if it ended without a verdict. */
  timings?: Explanation['timings_ms'];
};

/** A part of the service that counts verifications. */
type VerificationCount = { note: (verification: CountedVerification) => void };

type VerifyOne = (request: VerifyOneRequest) => Promise<VerifyOneAnswer>;

/**
 * Counts the outcomes of live single verifications. Refused and replayed requests do not count: they were not
 * verified now.
 */
export function countSingles(verifyOne: VerifyOne, counts: VerificationCount): VerifyOne {
  return async (request) => {
    const answer = await verifyOne(request);
    if (request.caller.mode === 'live') note(answer, counts);
    return answer;
  };
}

function note(answer: VerifyOneAnswer, counts: VerificationCount): void {
  switch (answer.kind) {
    case 'verified': {
      const { reason, mail_host: mailHost, timings_ms: timings } = answer.explanation;
      if (!answer.replayed) counts.note({ outcome: answer.verdict.status, reason, mailHost, timings });
      return;
    }
    case 'unavailable':
    case 'timeout':
      counts.note({ outcome: `verification_${answer.kind}`, reason: '', mailHost: undefined });
      return;
    case 'insufficient_credits':
    case 'key_limit_reached':
    case 'account_frozen':
    case 'request_in_progress':
    case 'idempotency_mismatch':
      return;
  }
}
