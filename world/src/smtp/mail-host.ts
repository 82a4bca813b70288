import type { Mailbox, Temper } from './temper.ts';
import type { Conversation, SmtpCounts } from './record.ts';
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
  /** When each client named unknown recipients in the last minute, and whether it is banned for that. */
  unknown: Map<string, { at: number[]; isBanned: boolean }>;
  /** Conversations so far: each has its own number and, of a fuzzing host, its own seed. */
  conversations: number;
  /** Connections that are open. */
  open: Set<Conversation>;
  /** The world's clock in milliseconds; only greylisting and counting look at it. */
  now(): number;
};
