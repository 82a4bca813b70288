/** Why a verdict is what it is (`?explain=true`). */
export type Explanation = {
  /** The stage that decided. */
  stage: 'syntax' | 'lists' | 'dns' | 'smtp';
  /** A stable snake_case code. */
  reason: string;
  /** Whether asking again may tell more, and after how many seconds. */
  retry: { advised: boolean; after_seconds?: number };
  /** The mail host that was asked; absent where none was. */
  mail_host?: string;
  /** The replies that were read, in order. */
  replies: {
    phase: 'connect' | 'banner' | 'ehlo' | 'starttls' | 'mail' | 'rcpt' | 'random_rcpt' | 'rset' | 'quit';
    code: number;
    enhanced?: string;
    text: string;
  }[];
  /** Milliseconds spent in each stage that was entered. */
  timings_ms: { dns?: number; smtp?: number; total: number };
};
