import type { Mailbox, Temper } from './temper.ts';
import type { SmtpCounts } from './record.ts';
import type { TlsContexts } from './tls-contexts.ts';

/** A mail host while the world runs: its description made ready, and what it remembers. */
export type MailHost = {
  name: string;
  address: string;
  temper: Temper;
  mailboxes: Map<string, Mailbox>;
  latencyMs: number;
  counts: SmtpCounts;
  tls: TlsContexts;
  /** When a client, sender and recipient were first seen together. */
  greylist: Map<string, number>;
  /** Conversations so far, to give each its own seed. */
  conversations: number;
  /** The world's clock in milliseconds; only greylisting looks at it. */
  now(): number;
};
