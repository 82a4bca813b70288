import type { Explanation } from './explanation.ts';

/** The body of `POST /api/v1/email-verification`. */
export type VerificationRequest = { email: string };

/** What is known of an address in one word. Every status but `unknown` is charged. */
export type VerificationStatus =
  | 'safe'
  | 'invalid'
  | 'disabled'
  | 'disposable'
  | 'inbox_full'
  | 'catch_all'
  | 'role_account'
  | 'spamtrap'
  | 'unknown';

/**
 * The answer to a single verification. It carries only the signals there is evidence for: an absent
 * field was not looked at, which is not the same as `false`.
 */
export type VerificationResult = {
  /** The address that was verified. */
  email: string;
  status: VerificationStatus;
  /** From 0 to 100; absent where the status is `unknown`. */
  overall_score?: number;
  /** The part before the @ sign. */
  username?: string;
  domain?: string;
  /** Whether the signals support sending. */
  is_safe_to_send?: boolean;
  is_valid_syntax?: boolean;
  /** Whether the domain is configured to receive mail. */
  mx_accepts_mail?: boolean;
  can_connect_smtp?: boolean;
  has_inbox_full?: boolean;
  /** Whether the mailbox was reported as deliverable. */
  is_deliverable?: boolean;
  is_disposable?: boolean;
  is_role_account?: boolean;
  /** Whether the server takes mail for addresses that may not exist. */
  is_catch_all?: boolean;
  is_disabled?: boolean;
  is_spamtrap?: boolean;
  is_free_email?: boolean;
  /** Mail hosts in order of preference. */
  mx_records?: string[];
  verification_mode: 'power';
  /** Only where it was asked for with `?explain=true`. */
  explanation?: Explanation;
};
