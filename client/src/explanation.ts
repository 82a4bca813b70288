/** Why a verdict is what it is (`?explain=true`). */
export type Explanation = {
  /** The stage that decided. */
  stage: 'syntax' | 'lists' | 'dns' | 'smtp';
  /** A stable snake_case code. */
  reason: string;
  /** Whether asking again may tell more, and after how many seconds. */
  retry: { advised: boolean; after_seconds?: number };
  /** When the mail host gave the answer (ISO 8601), if that was before this request: within ten minutes by default. */
  asked_at?: string;
  /** The large provider's domain that was most likely meant, where this one is a slip away from it. */
  did_you_mean?: string;
  /** The domain is parked: its mail goes to a service that takes it for names nobody uses. */
  parked?: true;
  /** The address is at a privacy relay, which forwards mail to a mailbox of its owner: real, not disposable. */
  is_relay?: true;
  /** A role that nobody should write to in bulk, such as `abuse`, `noreply` or `everyone`. */
  not_for_bulk?: true;
  /** The local part was made by a program for one message: BATV (`prvs=`), SRS, VERP, `bounce+…`. */
  is_machine?: true;
  /** The mail host that was asked; absent where none was. */
  mail_host?: string;
  /** The replies that were read, in order. */
  replies: ExplainedReply[];
  /** Milliseconds spent in each stage that was entered. */
  timings_ms: { dns?: number; smtp?: number; total: number };
  /** Only in a task, where a mail host put us off and was asked again: each visit, the last included; at most 5. */
  visits?: {
    /** When it ended (ISO 8601, UTC). */
    at: string;
    reason: string;
    replies: ExplainedReply[];
  }[];
};

/** A reply of a mail host and what it answered. */
type ExplainedReply = {
  phase: 'connect' | 'banner' | 'ehlo' | 'starttls' | 'mail' | 'rcpt' | 'random_rcpt' | 'rset' | 'quit';
  code: number;
  enhanced?: string;
  text: string;
};
