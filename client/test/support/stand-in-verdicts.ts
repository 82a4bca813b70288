import type { BulkResultRecord } from '../../src/verification-types.ts';

type StandInRecord = Omit<BulkResultRecord, 'email' | 'verification_mode' | 'explanation'> & {
  reason: string;
};

/** By the beginning of the local part; everybody else is safe. */
const records: Record<string, StandInRecord> = {
  invalid: {
    status: 'invalid',
    overall_score: 0,
    is_safe_to_send: false,
    is_deliverable: false,
    reason: 'user_unknown',
  },
  catchall: {
    status: 'catch_all',
    overall_score: 60,
    is_safe_to_send: false,
    is_deliverable: true,
    is_catch_all: true,
    reason: 'accepts_every_address',
  },
  unknown: { status: 'unknown', reason: 'greylisted' },
  formula: {
    status: 'safe',
    overall_score: 98,
    is_safe_to_send: true,
    is_deliverable: true,
    reason: '=HYPERLINK("x")',
  },
};

const safe: StandInRecord = {
  status: 'safe',
  overall_score: 98,
  is_safe_to_send: true,
  is_deliverable: true,
  reason: 'mailbox_accepted',
};

/** The record of an address: the same for the same address, always. */
export function verdictOf(email: string, explain: boolean): BulkResultRecord {
  const beginning = /^[a-z]+/.exec(email.toLowerCase())?.[0] ?? '';
  const { reason, ...record } = (Object.hasOwn(records, beginning) ? records[beginning] : undefined) ?? safe;
  return {
    email,
    ...record,
    is_valid_syntax: true,
    mx_accepts_mail: true,
    verification_mode: 'power',
    ...(explain ? { explanation: explanationOf(reason) } : {}),
  };
}

function explanationOf(reason: string): NonNullable<BulkResultRecord['explanation']> {
  return { stage: 'smtp', reason, retry: { advised: false }, replies: [], timings_ms: { total: 1 } };
}
