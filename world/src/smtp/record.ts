/**
 * The record of all mail hosts: counts, whole conversations, and each breach of the protocol by the client. It is kept
 * here alone, so that `reset` forgets all of it.
 */
export type ViolationKind =
  /** A verb other than EHLO, HELO, STARTTLS, MAIL, RCPT, RSET and QUIT. */
  | 'unexpected_verb'
  | 'malformed_command'
  | 'bare_lf'
  | 'control_byte'
  /** Over 512 bytes with its line end (RFC 5321 section 4.5.3.1.4). */
  | 'command_too_long'
  | 'spoke_before_banner'
  /** A command before the reply to the last one, although PIPELINING was not offered or may not be used. */
  | 'pipelined_unasked'
  | 'spoke_after_starttls'
  | 'starttls_not_offered'
  | 'mail_before_ehlo'
  | 'mail_inside_transaction'
  | 'smtputf8_not_offered'
  /** An address beyond ASCII in a transaction without SMTPUTF8. */
  | 'smtputf8_missing'
  /** The client left without QUIT, although every command had its answer. */
  | 'ended_without_quit';

export type Violation = { kind: ViolationKind; host: string; detail: string };

/**
 * One connection from the first byte to the last. A round trip is a wait of the client. The banner is one. A command is
 * one if all commands before it were answered, so a pipelined group is one in however many segments. A TLS handshake is
 * one, or two before TLS 1.3.
 */
export type Conversation = {
  host: string;
  client: string;
  /** In milliseconds on the world's clock. */
  startedAt: number;
  roundTrips: number;
  /** Set at a fuzzing host: `fuzzHost` with this seed says the same to its first visitor. */
  seed: number | undefined;
  secure: boolean;
  /** Lines with `C: ` or `S: ` before each. */
  lines: string[];
  violations: ViolationKind[];
  ended: 'open' | 'by_client' | 'by_host';
};

export type SmtpCounts = {
  connections: number;
  /** Connections that are open now; `reset` keeps this count. */
  open: number;
  mostOpen: number;
  roundTrips: number;
  handshakes: number;
  /** Counts by verb in upper case. */
  commands: Record<string, number>;
};

export type SmtpRecord = {
  total: SmtpCounts;
  hosts: Map<string, SmtpCounts>;
  violations: Violation[];
  /** The latest conversations, oldest first. */
  conversations: Conversation[];
  /** The world is stopping: from now on the host ends connections, not the client. */
  closing: boolean;
  reset(): void;
};

const conversationsKept = 5_000;
const violationsKept = 10_000;

export function smtpRecord(hostNames: string[]): SmtpRecord {
  const record: SmtpRecord = {
    total: noCounts(),
    hosts: new Map(hostNames.map((name) => [name, noCounts()])),
    violations: [],
    conversations: [],
    closing: false,
    reset() {
      for (const counts of [record.total, ...record.hosts.values()]) {
        Object.assign(counts, noCounts(), { open: counts.open, mostOpen: counts.open });
      }
      record.violations = [];
      record.conversations = [];
    },
  };
  return record;
}

export function newConversation(
  known: Pick<Conversation, 'host' | 'client' | 'startedAt' | 'seed'>,
): Conversation {
  return { ...known, roundTrips: 0, secure: false, lines: [], violations: [], ended: 'open' };
}

export function keepConversation(record: SmtpRecord, conversation: Conversation): void {
  record.conversations.push(conversation);
  if (record.conversations.length > conversationsKept) record.conversations.shift();
}

export function keepViolation(
  record: SmtpRecord,
  conversation: Conversation,
  found: { kind: ViolationKind; detail: string },
): void {
  conversation.violations.push(found.kind);
  if (record.violations.length < violationsKept) {
    record.violations.push({ ...found, host: conversation.host });
  }
}

function noCounts(): SmtpCounts {
  return { connections: 0, open: 0, mostOpen: 0, roundTrips: 0, handshakes: 0, commands: {} };
}
