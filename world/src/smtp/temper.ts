/**
 * A mail host's temper: its behaviour as data, with quirks and faults. Without any field the host behaves well: it
 * offers PIPELINING, knows its mailboxes and refuses all other recipients.
 */

/** The state of a mailbox at its mail host. */
export type MailboxState = 'exists' | 'unknown' | 'full' | 'full_for_now' | 'disabled' | 'busy' | 'deferred';

/** A state, or the exact reply to the recipient. */
export type Mailbox = MailboxState | { reply: ReplyText };

export type Temper = {
  /** No process listens at the address: connections are refused. */
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
  /** `demanded`: MAIL is refused without TLS. `demanded_at_recipient`: each RCPT is. */
  starttls?: 'offered' | 'demanded' | 'demanded_at_recipient';
  /** The words of that refusal, in place of the usual ones. */
  tlsDemand?: ReplyText;
  tlsFault?: TlsFault;
  /** Takes every recipient that `mailboxes` does not name. */
  catchAll?: boolean;
  /** Replies for these states, in place of the usual ones. */
  replies?: Partial<Record<MailboxState, ReplyText>>;
  /** Recipients above this number in one transaction get `tooMany`. */
  recipientsPerTransaction?: number;
  tooMany?: ReplyText;
  /** A first visit is deferred. A visit of the same client, sender and recipient `waitMs` later is not. */
  greylist?: Greylist;
  /** Says this at the banner, to every MAIL or to every RCPT, for any recipient. */
  refusal?: Refusal;
  /** Postfix: after `soft` errors each reply comes `delayMs` late, after `hard` the host hangs up with 421. */
  errorCount?: { soft: number; hard: number; delayMs: number };
  /** Exim: refuses all further recipients after `named` of them, if fewer than half were accepted. */
  refusesMostlyRefused?: { named: number };
  /** QQ: refuses every second recipient of a transaction or of the whole conversation. */
  refusesEverySecond?: { of: 'transaction' | 'conversation'; reply: ReplyText };
  /** GoDaddy: refuses all further recipients of a conversation after this many refusals. */
  locksAfter?: { refusals: number; reply: ReplyText };
  /** Refuses a client for good once it names more unknown recipients than this within a minute. */
  bansForUnknown?: { perMinute: number; reply: ReplyText };
  /** Closes the connection right after this many 5xx refusals. */
  hangsUpAfterRefusals?: number;
  /** Drops the connection at this refusal; replies to the commands that came with it are lost. */
  vanishesAtRefusal?: number;
  /** Delay before each reply, one after the other. */
  replyDelayMs?: number;
  /** Further delays before each reply to RCPT, and before each refusal of a recipient. */
  recipientDelayMs?: number;
  refusalDelayMs?: number;
  /** Postfix: the replies to a pipelined group leave together, once its last command is answered. */
  holdsReplies?: boolean;
  /** Sends every reply a byte at a time. */
  dripEveryMs?: number;
  /** Encoding of its replies; default UTF-8. */
  encoding?: 'latin1';
  /** The first quirk in this order that has a reply gives it. */
  quirks?: readonly Quirk[];
  fault?: FaultAt;
  injection?: Injection;
  /** Replaces or mangles every reply, reproducibly. */
  fuzzSeed?: number;
};

export type Refusal = {
  at: 'banner' | 'ehlo' | 'mail' | 'rcpt';
  reply: ReplyText;
  /** Only clients at these addresses are refused, as on a block list; default all. */
  to?: readonly string[];
  /** Only clients on this block list of the world are refused, by their public address (`seenAs`). */
  ifListedBy?: string;
};

type Greylist = {
  waitMs: number;
  /** `everybody` also defers unknown recipients; `known` refuses them at once. */
  defers: 'everybody' | 'known';
  reply?: ReplyText;
};

/**
 * A reply in a description: lines joined by `\n`, each with its code. `{host}`, `{client}`, `{recipient}` and
 * `{sender}` are filled in.
 */
export type ReplyText = string;

/**
 * A behaviour beside the mailboxes, as data. A host may have several. A quirk depends on the conversation, the place of
 * a recipient in it, earlier recipients and other connections; never on the mailbox.
 */
export type Quirk =
  /** Accepts this many distinct recipients per conversation, and gives the reply to all further ones. */
  | { kind: 'takes_distinct'; recipients: number; reply: ReplyText }
  /** Answers by place from 1 on: the truth, a yes or the reply. After the last word it repeats all, or the last. */
  | { kind: 'by_place'; says: readonly PlaceWord[]; then: 'again' | 'stays'; reply: ReplyText }
  /** Gives the reply after this many 4xx or 5xx refusals in the conversation. */
  | { kind: 'counts_refusals'; refusals: number; reply: ReplyText }
  /** Never sends the reply to this place, and answers the next command as if it had. */
  | { kind: 'loses_reply'; place: number }
  /** Sends one more reply after the reply to this place. */
  | { kind: 'surplus_reply'; place: number; reply: ReplyText }
  /** Drops the connection at this place; replies that came together with it are lost. */
  | { kind: 'vanishes'; place: number }
  /** Delays the reply to this place. */
  | { kind: 'late'; place: number; ms: number }
  /** Gives the reply in conversations whose number leaves one of these remainders; a 421 closes. */
  | { kind: 'busy'; at: 'banner' | 'rcpt'; every: number; in: readonly number[]; reply: ReplyText }
  /** Refuses a client that has another connection open. */
  | { kind: 'one_client'; reply: ReplyText };

export type PlaceWord = 'truth' | 'yes' | 'no';

/** The phases of a conversation in which a fault can strike. */
export const phases = [
  'connect',
  'banner',
  'ehlo',
  'starttls',
  'mail',
  'rcpt',
  'random_rcpt',
  'quit',
] as const;

/** `rcpt` is a recipient among the host's mailboxes, `random_rcpt` any other. */
export type Phase = (typeof phases)[number];

/** The twelve faults of the matrix. */
export const faults = [
  /** Closes instead of answering. */
  'fin',
  /** Resets the connection instead of answering. */
  'rst',
  /** Never answers. */
  'silence',
  /** The right reply, a byte at a time. */
  'drip',
  /** 421, then closes (RFC 5321 section 3.8). */
  'reply_421',
  'reply_4xx',
  'reply_5xx',
  /** Bytes that are no reply. */
  'garbage',
  /** A line that does not end. */
  'endless_line',
  /** A reply of many lines that does not end. */
  'endless_reply',
  /** The right reply, and a second one without a command. */
  'early_reply',
  /** The right reply with NUL bytes in it and bare line feeds. */
  'control_bytes',
] as const;

/** Further faults, outside of the matrix. */
export const furtherFaults = [
  /** Half the reply's line, then closes. */
  'half_reply',
  /** Whole replies without end. */
  'flood',
  /** A code outside 200 to 599. */
  'code_999',
  /** 354, which answers none of our commands. */
  'code_354',
  /** The code changes inside a reply of several lines. */
  'code_changes',
  /** Line feeds without carriage returns. */
  'bare_lf',
  /** NUL bytes in the text. */
  'nul_bytes',
  /** Three digits and nothing else: odd but allowed (RFC 5321 section 4.2). */
  'code_alone',
  /** The right reply in segments of one byte, without delay: allowed. */
  'split_bytes',
  /** A web server's answer. */
  'http',
  /** An SSH server's greeting. */
  'ssh',
] as const;

export type Fault = (typeof faults)[number] | (typeof furtherFaults)[number];

/** A fault and the phase that it strikes; a drip sends one byte a second by default. */
export type FaultAt = { phase: Phase; fault: Fault; dripEveryMs?: number };

/**
 * A reply without a command, before or after the right one of a phase, in the same segment. `insideTls` spares replies
 * before the handshake.
 */
export type Injection = { phase: Phase; place: 'before' | 'after'; reply: string; insideTls?: boolean };

const injectedPhases = ['banner', 'ehlo', 'mail', 'rcpt', 'random_rcpt'] as const;
const injectedReplies = ['250 2.1.5 Ok', '550 5.1.1 User unknown'];

/** Twenty placements, each used in plaintext and inside TLS. */
export const injections: Injection[] = injectedPhases.flatMap((phase) =>
  (['before', 'after'] as const).flatMap((place) =>
    injectedReplies.map((reply) => ({ phase, place, reply })),
  ),
);

/** Faults of STARTTLS at a mail host. */
export const tlsFaults = [
  /** 454 to STARTTLS. */
  'refused',
  /** Random bytes where the server's hello should be. */
  'garbage',
  /** FIN after the go-ahead. */
  'close',
  /** RST after the go-ahead. */
  'reset',
  /** Never answers the client's hello. */
  'stall_before_hello',
  /** Stops in the middle of its first flight. */
  'stall_inside_hello',
  /** TLS 1.2: never sends its Finished. */
  'stall_before_finished',
  /** Completes the handshake, then answers nothing. */
  'stall_after_handshake',
  /** A byte of the first flight is flipped. */
  'bad_record',
  /** A certificate chain of 200 KB. */
  'huge_chain',
  /** TLS 1.1 at most. */
  'old_version',
  /** A plaintext reply in the same segment as the go-ahead. A careless client takes it for an answer inside TLS. */
  'injected_reply',
] as const;

export type TlsFault = (typeof tlsFaults)[number];
