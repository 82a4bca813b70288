/**
 * A mail host's temper: how it behaves, as data. What is not said is what a well-behaved host does:
 * it offers PIPELINING, knows its mailboxes and refuses everybody else.
 */
import type { FaultAt, Injection } from './fault.ts';
import type { Quirk, ReplyText } from './quirk.ts';
import type { TlsFault } from './tls-fault.ts';

/** What a mail host knows of a mailbox. */
export type MailboxState = 'exists' | 'unknown' | 'full' | 'full_for_now' | 'disabled' | 'busy' | 'deferred';

/** A mailbox is in a known state, or its recipient gets exactly this reply. */
export type Mailbox = MailboxState | { reply: ReplyText };

export type Temper = {
  /** Nothing listens at the address: the connection is refused. */
  dead?: boolean;
  banner?: ReplyText;
  /** Offered unless false. */
  pipelining?: boolean;
  /** Not offered unless true. */
  smtputf8?: boolean | 'inside_tls';
  /** Answers EHLO with 502, as a host that knows HELO only. */
  heloOnly?: boolean;
  /** More lines of the EHLO reply. */
  extensions?: string[];
  /** Where it is demanded, MAIL is refused without it, or only each recipient. */
  starttls?: 'offered' | 'demanded' | 'demanded_at_recipient';
  /** In place of the usual words for that demand. */
  tlsDemand?: ReplyText;
  tlsFault?: TlsFault;
  /** Takes every recipient that `mailboxes` does not name. */
  catchAll?: boolean;
  /** In place of the usual words for these states. */
  replies?: Partial<Record<MailboxState, ReplyText>>;
  /** Recipients above this number in one transaction get `tooMany`. */
  recipientsPerTransaction?: number;
  tooMany?: ReplyText;
  /** A first visit is deferred; one from the same client, sender and recipient `waitMs` later is not. */
  greylist?: Greylist;
  /** Says this at the banner, to every MAIL or to every RCPT, whoever is asked for. */
  refusal?: Refusal;
  /** Postfix: after `soft` errors each reply comes `delayMs` late, after `hard` the host hangs up with 421. */
  errorCount?: { soft: number; hard: number; delayMs: number };
  /** Exim: once more than `named` recipients were named and fewer than half accepted, all further are refused. */
  refusesMostlyRefused?: { named: number };
  /** QQ: refuses every second recipient, whoever it is, of a transaction or of the whole conversation. */
  refusesEverySecond?: { of: 'transaction' | 'conversation'; reply: ReplyText };
  /** GoDaddy: once this many recipients were refused in a conversation, all further ones are. */
  locksAfter?: { refusals: number; reply: ReplyText };
  /** A receiver that counts: a client that named more unknown recipients within a minute is refused from then on. */
  bansForUnknown?: { perMinute: number; reply: ReplyText };
  /** Closes the connection right after this many recipients were refused with 5xx. */
  hangsUpAfterRefusals?: number;
  /** Leaves at this refusal without a word; the replies to the commands that came with it are lost. */
  vanishesAtRefusal?: number;
  /** Waits this long before each reply, one after the other. */
  replyDelayMs?: number;
  /** The same before each reply to RCPT, and before each that refuses a recipient. */
  recipientDelayMs?: number;
  refusalDelayMs?: number;
  /** Postfix: the replies to commands that came together leave together, when the last of them is answered. */
  holdsReplies?: boolean;
  /** Every reply a byte at a time. */
  dripEveryMs?: number;
  /** Of its replies; UTF-8 unless said. */
  encoding?: 'latin1';
  /** In this order; the first that has a reply gives it. */
  quirks?: readonly Quirk[];
  fault?: FaultAt;
  injection?: Injection;
  /** Every reply is replaced or mangled, reproducibly. */
  fuzzSeed?: number;
};

export type Refusal = {
  at: 'banner' | 'ehlo' | 'mail' | 'rcpt';
  reply: ReplyText;
  /** Only to clients at these addresses, as a block list would have it; to everybody where it is absent. */
  to?: readonly string[];
  /** Only to clients on this block list of the world, by the address that they have beyond their NAT. */
  ifListedBy?: string;
};

export type Greylist = {
  waitMs: number;
  /** `everybody`: unknown recipients are deferred as well. `known`: those get their refusal at once. */
  defers: 'everybody' | 'known';
  reply?: ReplyText;
};
