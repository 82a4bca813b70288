import type { Explanation, Outcome, SyntaxFault, Verdict } from '@mailproof/engine';

/** The reasons with which the API would answer instead of a verdict. */
export type ErrorReason =
  'invalid_email' | 'verification_unavailable' | 'verification_timeout' | 'verification_failed';

/** What is said of one address. Only a defect of ours leaves nothing to explain. */
export type Answer =
  | { kind: 'verdict'; verdict: Verdict; explanation: Explanation }
  | { kind: 'error'; email: string; error: ErrorReason; explanation: Explanation | undefined };

export function answerFrom(email: string, outcome: Outcome): Answer {
  switch (outcome.kind) {
    case 'verdict':
      return outcome;
    case 'invalid_address':
      return { kind: 'error', email, error: 'invalid_email', explanation: explainFault(outcome.fault) };
    case 'unavailable':
      return { kind: 'error', email, error: 'verification_unavailable', explanation: outcome.explanation };
    case 'timeout':
      return { kind: 'error', email, error: 'verification_timeout', explanation: outcome.explanation };
  }
}

function explainFault(fault: SyntaxFault): Explanation {
  return { stage: 'syntax', reason: fault, retry: { advised: false }, replies: [], timings_ms: { total: 0 } };
}

/** The answer as a line of JSON: the API's verification result, or the address with the API's error. */
export function answerAsJson(answer: Answer, { explain }: { explain: boolean }): string {
  const explanation = explain ? answer.explanation : undefined;
  switch (answer.kind) {
    case 'verdict':
      return JSON.stringify(explanation === undefined ? answer.verdict : { ...answer.verdict, explanation });
    case 'error':
      // JSON has no word for what is undefined, and leaves it out.
      return JSON.stringify({ email: answer.email, error: answer.error, explanation });
  }
}
