/** The matrix of what can go wrong in a conversation: in which phase, and how. */
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

/** `rcpt` is a recipient the host's mailboxes name, `random_rcpt` any other. */
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
  /** The right reply, and a second one that nothing has asked for. */
  'early_reply',
  /** The right reply with NUL bytes in it and bare line feeds. */
  'control_bytes',
] as const;

/** Faults that are tempers of their own, beside the matrix. */
export const furtherFaults = [
  /** Half the reply's line, then closes. */
  'half_reply',
  /** Whole replies without end. */
  'flood',
  /** A code outside 200 to 599. */
  'code_999',
  /** 354, which no command we send can get. */
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

/** A fault and the phase it strikes; a drip sends a byte a second unless said. */
export type FaultAt = { phase: Phase; fault: Fault; dripEveryMs?: number };

/**
 * A reply that no command asked for, before or after the right one of a phase and in the same
 * segment. `insideTls` spares what is said before the handshake.
 */
export type Injection = { phase: Phase; place: 'before' | 'after'; reply: string; insideTls?: boolean };

const injectedPhases = ['banner', 'ehlo', 'mail', 'rcpt', 'random_rcpt'] as const;
const injectedReplies = ['250 2.1.5 Ok', '550 5.1.1 User unknown'];

/** Twenty placements; each for a host in plaintext, and again inside TLS. */
export const injections: Injection[] = injectedPhases.flatMap((phase) =>
  (['before', 'after'] as const).flatMap((place) =>
    injectedReplies.map((reply) => ({ phase, place, reply })),
  ),
);
