/**
 * What the mail hosts of the world have seen: counts, whole conversations, and every breach of the
 * protocol by the client. The record is kept here and nowhere else, so that `reset` forgets all of it.
 */
export type ViolationKind =
  /** Anything but EHLO, HELO, STARTTLS, MAIL, RCPT, RSET and QUIT. */
  | 'unexpected_verb'
  | 'malformed_command'
  | 'bare_lf'
  | 'control_byte'
  /** Over 512 bytes with its line end (RFC 5321 section 4.5.3.1.4). */
  | 'command_too_long'
  | 'spoke_before_banner'
  /** A command before the reply to the last one, where PIPELINING was not offered or may not be used. */
  | 'pipelined_unasked'
  | 'spoke_after_starttls'
  | 'starttls_not_offered'
  | 'mail_before_ehlo'
  | 'mail_inside_transaction'
  | 'smtputf8_not_offered'
  /** An address beyond ASCII in a transaction that did not ask for SMTPUTF8. */
  | 'smtputf8_missing'
  /** The client left while every command had its answer, without QUIT. */
  | 'ended_without_quit';

export type Violation = { kind: ViolationKind; host: string; detail: string };

/**
 * One connection from the first byte to the last. A round trip is a wait of the client: one for the
 * banner, one for every command that arrived after all before it were answered (so a pipelined group
 * is one, however it was cut into segments), and one or two for a TLS handshake (1.3 or older).
 */
export type Conversation = {
  host: string;
  client: string;
  /** Milliseconds on the world's clock. */
  startedAt: number;
  roundTrips: number;
  /** Of a fuzzing host: `fuzzHost` of this seed says the same again to its first visitor. */
  seed: number | undefined;
  secure: boolean;
  /** Each line with `C: ` or `S: ` before it. */
  lines: string[];
  violations: ViolationKind[];
  ended: 'open' | 'by_client' | 'by_host';
};

export type SmtpCounts = {
  connections: number;
  /** Connections open now; survives `reset`. */
  open: number;
  mostOpen: number;
  roundTrips: number;
  handshakes: number;
  /** By verb in upper case. */
  commands: Record<string, number>;
};

export type SmtpRecord = {
  total: SmtpCounts;
  hosts: Map<string, SmtpCounts>;
  violations: Violation[];
  /** The latest conversations, oldest first. */
  conversations: Conversation[];
  /** The world is being taken down: who leaves from now on was thrown out. */
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
