import type { Explanation, Outcome } from '@mailproof/engine';

/** Outcomes as the engine would give them, for tests that are not about mail. */
export function explanationOf(reason: string, retry: Explanation['retry'] = { advised: false }): Explanation {
  return { stage: 'smtp', reason, retry, replies: [], timings_ms: { total: 1 } };
}

const common = (email: string) => ({
  email,
  username: email.slice(0, email.lastIndexOf('@')),
  domain: email.slice(email.lastIndexOf('@') + 1),
  is_valid_syntax: true as const,
  is_disposable: false,
  is_role_account: false,
  is_free_email: false,
  verification_mode: 'power' as const,
});

export function safe(email: string): Outcome {
  const verdict = {
    ...common(email),
    status: 'safe' as const,
    overall_score: 98,
    is_safe_to_send: true,
    can_connect_smtp: true,
    has_inbox_full: false,
    is_deliverable: true,
    is_catch_all: false,
    is_disabled: false,
    is_spamtrap: false,
    mx_accepts_mail: true,
    mx_records: ['mx.example.com'],
  };
  return { kind: 'verdict', verdict, explanation: explanationOf('mailbox_accepted') };
}

/** Returns an outcome for a domain that does not exist and is one typo away from a large provider. */
export function mistyped(email: string): Outcome {
  const verdict = {
    ...common(email),
    status: 'invalid' as const,
    overall_score: 0,
    is_safe_to_send: false,
    can_connect_smtp: false,
    has_inbox_full: false,
    is_deliverable: false,
    is_catch_all: false,
    is_disabled: false,
    is_spamtrap: false,
    mx_accepts_mail: false,
    mx_records: [],
  };
  return {
    kind: 'verdict',
    verdict,
    explanation: { ...explanationOf('no_such_domain'), did_you_mean: 'gmail.com' },
  };
}

export function unknown(email: string): Outcome {
  const verdict = { ...common(email), status: 'unknown' as const, mx_accepts_mail: true, mx_records: [] };
  return {
    kind: 'verdict',
    verdict,
    explanation: explanationOf('host_refused', { advised: true, after_seconds: 3_600 }),
  };
}

export function deferred(email: string): Outcome {
  const verdict = { ...common(email), status: 'unknown' as const, mx_accepts_mail: true, mx_records: [] };
  return {
    kind: 'verdict',
    verdict,
    explanation: explanationOf('greylisted', { advised: true, after_seconds: 300 }),
  };
}

export const unavailable: Outcome = { kind: 'unavailable', explanation: explanationOf('dns_servfail') };
export const timeout: Outcome = { kind: 'timeout', explanation: explanationOf('deadline_reached') };
