/** Written by `npm run docs` from the schemas of the service. Change those, not this file. */

/** The task was accepted. */
export type BulkTaskCreated = {
  status: 'success';
  /** Identifier of the task (UUID). */
  task_id: string;
  /** Number of addresses submitted. */
  count_submitted: number;
  /** Duplicate addresses removed. */
  count_duplicates_removed: number;
  /** Strings that are no address. */
  count_rejected_emails: number;
  /** Addresses being processed. */
  count_processing: number;
};

/** Progress, and results when completed. */
export type BulkTaskProgress = {
  /** Task identifier. */
  task_id: string;
  /** The submitted name after the prefix `API: `. */
  name: string;
  status: 'waiting' | 'running' | 'completed';
  /** Total addresses in the task. */
  count_total: number;
  /** Addresses checked so far. */
  count_checked: number;
  /** 100 when completed. */
  progress_percentage: number;
  /** Only when completed. The keys are the addresses as first spelled. */
  results?: Record<string, BulkResultRecord>;
};

export type BulkTaskRequest = {
  /**
   * The addresses. Duplicates are removed; entries that are not valid addresses are counted as
   * rejected.
   */
  emails: string[];
  /** A name for the task. */
  name?: string;
};

export type BulkResultRecord = {
  /** The address. */
  email: string;
  /** The outcome; every status except `unknown` is charged. */
  status:
    | 'safe'
    | 'invalid'
    | 'disabled'
    | 'disposable'
    | 'inbox_full'
    | 'catch_all'
    | 'role_account'
    | 'spamtrap'
    | 'unknown';
  /** An estimate, in percent, of the chance that a message sent now is delivered. */
  overall_score?: number;
  /** Whether the available delivery signals support sending. */
  is_safe_to_send?: boolean;
  /** Whether the mailbox was reported as deliverable. */
  is_deliverable?: boolean;
  /** Whether the address follows email syntax rules. */
  is_valid_syntax?: boolean;
  /** Whether the domain is configured to receive email. */
  mx_accepts_mail?: boolean;
  /** Present, and true, if the status is `catch_all`. */
  is_catch_all?: boolean;
  /** Always `power`. */
  verification_mode: 'power';
  explanation?: Explanation;
};

/** Why the verdict is what it is; only with `?explain=true`. */
export type Explanation = {
  /** The stage that decided. */
  stage: 'syntax' | 'lists' | 'dns' | 'smtp';
  /** A stable snake_case code. */
  reason: string;
  retry: {
    advised: boolean;
    after_seconds?: number;
  };
  /** When the mail host gave the answer, if that was before this request. */
  asked_at?: string;
  /** The domain of a large provider that this one is a slip away from. */
  did_you_mean?: string;
  /** The mail of the domain goes to a service that parks unused names. */
  parked?: true;
  /** The address is at a privacy relay, which forwards mail to a mailbox of its owner. */
  is_relay?: true;
  /** A role that must not receive bulk mail, such as `abuse`, `noreply` or `everyone`. */
  not_for_bulk?: true;
  /** A program made the local part for one message: BATV (`prvs=`), SRS, VERP, `bounce+…`. */
  is_machine?: true;
  /** The mail host that was asked. */
  mail_host?: string;
  replies: {
    phase: 'connect' | 'banner' | 'ehlo' | 'starttls' | 'mail' | 'rcpt' | 'random_rcpt' | 'rset' | 'quit';
    code: number;
    enhanced?: string;
    text: string;
  }[];
  timings_ms: {
    dns?: number;
    smtp?: number;
    total: number;
  };
  /**
   * Only in a task whose mail host deferred us and was asked again: every visit, including the last.
   */
  visits?: {
    /** When it ended (ISO 8601, UTC). */
    at: string;
    reason: string;
    replies: {
      phase: 'connect' | 'banner' | 'ehlo' | 'starttls' | 'mail' | 'rcpt' | 'random_rcpt' | 'rset' | 'quit';
      code: number;
      enhanced?: string;
      text: string;
    }[];
  }[];
};

export type VerificationRequest = {
  /** The address to verify. White space around it is trimmed. */
  email: string;
};

/**
 * The verification result. It carries only signals that have evidence: an absent field was not
 * checked.
 */
export type VerificationResult = {
  /** The address that was verified. */
  email: string;
  /** The outcome; every status except `unknown` is charged. */
  status:
    | 'safe'
    | 'invalid'
    | 'disabled'
    | 'disposable'
    | 'inbox_full'
    | 'catch_all'
    | 'role_account'
    | 'spamtrap'
    | 'unknown';
  /** An estimate, in percent, of the chance that a message sent now is delivered. */
  overall_score?: number;
  /** Part of the address before the @ sign. */
  username?: string;
  /** Domain of the address. */
  domain?: string;
  /** Whether the available delivery signals support sending. */
  is_safe_to_send?: boolean;
  /** Whether the address follows email syntax rules. */
  is_valid_syntax?: boolean;
  /** Whether the domain is configured to receive email. */
  mx_accepts_mail?: boolean;
  /** Whether an SMTP connection was established. */
  can_connect_smtp?: boolean;
  /** Whether the mailbox is full. */
  has_inbox_full?: boolean;
  /** Whether the mailbox was reported as deliverable. */
  is_deliverable?: boolean;
  /** Whether the address belongs to a disposable email service. */
  is_disposable?: boolean;
  /** Whether the address represents a role (for example support@). */
  is_role_account?: boolean;
  /** Whether the server accepts mail for addresses that may not exist. */
  is_catch_all?: boolean;
  /** Whether the mailbox is disabled. */
  is_disabled?: boolean;
  /** Whether the address is identified as a spam trap. */
  is_spamtrap?: boolean;
  /** Whether the address uses a common free email provider. */
  is_free_email?: boolean;
  /** Mail hosts of the domain in order of preference. */
  mx_records?: string[];
  /** Always `power`. */
  verification_mode: 'power';
  explanation?: Explanation;
};
