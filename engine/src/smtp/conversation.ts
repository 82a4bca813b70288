import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { SmtpPhase } from '../evidence.ts';
import type { Asker } from '../fair-queue.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { Command } from './command.ts';
import { createConnection, type Connection, type Fault, type Heard } from './connection.ts';
import type { Reply } from './reply-reader.ts';

/**
 * A conversation with a mail host, step by step, in the order in which the protocol has them:
 *
 *     openConversation   banner, EHLO (HELO where EHLO is not understood)
 *     encrypt            STARTTLS, the handshake, and a second EHLO, where it is wanted
 *     exchange           a group of commands and the replies to them, as often as there is something to ask
 *     sayGoodbye         QUIT, and what its reply shows about the replies before it
 *
 * What is asked and what the answers mean is not decided here.
 */
type Urgency = Asker['urgency'];

type Capabilities = { pipelining: boolean; smtputf8: boolean; starttls: boolean };

export type Conversation = {
  host: CanonicalHost;
  connection: Connection;
  capabilities: Capabilities;
  encrypted: boolean;
};

/** What ended a conversation early: a reply that turned us away, or a fault of the connection. */
export type Failure = Refusal | Break;
type Refusal = { kind: 'refused'; phase: SmtpPhase; reply: Reply };
type Break = { kind: 'broken'; phase: SmtpPhase; fault: Fault };

export type ConversationParts = {
  clock: Clock;
  limits: Limits;
  heloName: string;
};

type Opened = { kind: 'open'; conversation: Conversation } | (Failure & { connection: Connection });

export async function openConversation(
  { socket, host, urgency }: { socket: Socket; host: CanonicalHost; urgency: Urgency },
  parts: ConversationParts,
  patience: Patience,
): Promise<Opened> {
  const { clock, limits } = parts;
  const connection = createConnection(socket, { clock, limits, signal: patience.signal });
  const bannerMs = urgency === 'bulk' ? limits.bulkBannerMs : limits.bannerMs;
  const banner = await readReply(connection, bannerMs, { clock, patience });
  if (banner.kind === 'fault') return { ...broken('banner', banner), connection };
  if (banner.reply.code !== 220) return { kind: 'refused', phase: 'banner', reply: banner.reply, connection };
  const greeted = await greet(connection, parts, patience);
  if (greeted.kind !== 'greeted') return { ...greeted, connection };
  return {
    kind: 'open',
    conversation: { host, connection, capabilities: greeted.capabilities, encrypted: false },
  };
}

/** STARTTLS, the handshake, and EHLO anew: what the host said in the clear is forgotten (RFC 3207 4.2). */
export async function encrypt(
  conversation: Conversation,
  parts: ConversationParts,
  patience: Patience,
): Promise<Failure | undefined> {
  const { connection } = conversation;
  const { clock, limits } = parts;
  const startedAt = clock.now();
  connection.send([{ verb: 'STARTTLS' }]);
  const answer = await readReply(connection, limits.tlsMs, { clock, patience });
  if (answer.kind === 'fault') return broken('starttls', answer);
  if (answer.reply.code !== 220) return { kind: 'refused', phase: 'starttls', reply: answer.reply };
  const deadline = Math.min(patience.deadline, startedAt + limits.tlsMs);
  const fault = await connection.startTls(conversation.host, deadline);
  if (fault !== undefined) return { kind: 'broken', phase: 'starttls', fault };
  const greeted = await greet(connection, parts, patience);
  if (greeted.kind !== 'greeted') return greeted;
  conversation.capabilities = { ...greeted.capabilities, starttls: false };
  conversation.encrypted = true;
  return undefined;
}

/** The codes by which a host says that it does not know EHLO (RFC 5321 section 4.1.4). */
const ehloNotUnderstood: ReadonlySet<number> = new Set([500, 501, 502, 504, 550]);

async function greet(
  connection: Connection,
  parts: ConversationParts,
  patience: Patience,
): Promise<{ kind: 'greeted'; capabilities: Capabilities } | Failure> {
  const { clock, limits, heloName: name } = parts;
  connection.send([{ verb: 'EHLO', name }]);
  const ehlo = await readReply(connection, limits.ehloMs, { clock, patience });
  if (ehlo.kind === 'fault') return broken('ehlo', ehlo);
  if (ehlo.reply.code === 250) return { kind: 'greeted', capabilities: readCapabilities(ehlo.reply, limits) };
  if (!ehloNotUnderstood.has(ehlo.reply.code)) return { kind: 'refused', phase: 'ehlo', reply: ehlo.reply };
  connection.send([{ verb: 'HELO', name }]);
  const helo = await readReply(connection, limits.ehloMs, { clock, patience });
  if (helo.kind === 'fault') return broken('ehlo', helo);
  if (helo.reply.code !== 250) return { kind: 'refused', phase: 'ehlo', reply: helo.reply };
  return { kind: 'greeted', capabilities: { ...noCapabilities } };
}

const noCapabilities: Capabilities = { pipelining: false, smtputf8: false, starttls: false };

const capabilityOf: ReadonlyMap<string, keyof Capabilities> = new Map([
  ['PIPELINING', 'pipelining'],
  ['SMTPUTF8', 'smtputf8'],
  ['STARTTLS', 'starttls'],
]);

function readCapabilities(reply: Reply, limits: Limits): Capabilities {
  const capabilities = { ...noCapabilities };
  for (const line of reply.lines.slice(1, 1 + limits.ehloKeywords)) {
    const [keyword = ''] = line.trim().split(' ', 1);
    const known = capabilityOf.get(keyword.toUpperCase());
    if (known !== undefined) capabilities[known] = true;
  }
  return capabilities;
}

/** One command of a group, and the phase that its reply belongs to. */
export type Step = { phase: SmtpPhase; command: Command };

type Exchanged = {
  /** The reply to each step, in order; absent where none came or the step was not said. */
  replies: (Reply | undefined)[];
  /** How long after the one before each came. */
  tookMs: number[];
  broken: Break | undefined;
};

type ExchangeParts = {
  clock: Clock;
  limits: Limits;
  patience: Patience;
  urgency: Urgency;
  /** Told of each reply: whoever comes next has waited behind it until now. */
  onReply: () => void;
};

/**
 * Says a group of commands and reads what comes back. With PIPELINING (RFC 2920) all leave in one segment
 * and cost one round trip; without it each waits for the reply before, and nobody is named to a
 * transaction that was refused. Where the connection breaks, what was read until then is kept.
 *
 * A host may hold the replies to a pipelined group until its end, as Postfix does: the first of them may then take as
 * long as all that are still to come together.
 */
export async function exchange(
  { connection, capabilities }: Conversation,
  steps: readonly Step[],
  { clock, limits, patience, urgency, onReply }: ExchangeParts,
): Promise<Exchanged> {
  const replies: (Reply | undefined)[] = [];
  const tookMs: number[] = [];
  if (capabilities.pipelining) connection.send(steps.map(({ command }) => command));
  /** How long all replies that are still to come may take together. */
  let awaitedMs = steps.reduce((sum, { command }) => sum + replyMs(command, limits, urgency), 0);
  let mailRefused = false;
  for (const { phase, command } of steps) {
    if (command.verb !== 'RCPT') mailRefused = false;
    if (!capabilities.pipelining && mailRefused) {
      replies.push(undefined);
      continue;
    }
    if (!capabilities.pipelining) connection.send([command]);
    const ownMs = replyMs(command, limits, urgency);
    const since = clock.now();
    const waitMs = capabilities.pipelining ? awaitedMs : ownMs;
    const answer = await readReply(connection, waitMs, { clock, patience });
    if (answer.kind === 'fault') return { replies, tookMs, broken: broken(phase, answer) };
    awaitedMs -= ownMs;
    tookMs[replies.length] = clock.now() - since;
    replies.push(answer.reply);
    onReply();
    if (command.verb === 'MAIL') mailRefused = !isAccepted(answer.reply);
  }
  return { replies, tookMs, broken: undefined };
}

function replyMs({ verb }: Command, limits: Limits, urgency: Urgency): number {
  if (verb === 'RSET') return limits.rsetMs;
  if (verb === 'MAIL') return limits.mailMs;
  return urgency === 'bulk' ? limits.bulkRcptMs : limits.rcptMs;
}

/**
 * QUIT, and what its reply shows about the replies before it.
 *
 * A host that sent one reply too many has been answering the wrong command ever since; its surplus
 * reply then stands where the 221 should be. So the answers of a conversation count only once QUIT got
 * its own: `out_of_step` voids them. A host that hangs up or stays silent at QUIT proves nothing
 * against itself.
 */
export async function sayGoodbye(
  connection: Connection,
  { clock, limits }: Omit<ConversationParts, 'heloName'>,
  patience: Patience,
): Promise<'in_step' | 'out_of_step'> {
  if (connection.fault() !== undefined) {
    connection.destroy();
    return connection.fault() === 'protocol_error' ? 'out_of_step' : 'in_step';
  }
  connection.send([{ verb: 'QUIT' }]);
  const answer = await readReply(connection, limits.quitMs, { clock, patience });
  connection.destroy();
  if (answer.kind === 'fault') return answer.fault === 'protocol_error' ? 'out_of_step' : 'in_step';
  return answer.reply.code === 221 || answer.reply.code === 421 ? 'in_step' : 'out_of_step';
}

export function isAccepted({ code }: Reply): boolean {
  return code >= 200 && code < 300;
}

const tlsWords = /\b(?:starttls|tls|encryption)\b/i;
const demandWords = /\b(?:must|required?|requires|needed|first|mandatory|only)\b/i;

/**
 * Whether a refusal asks for STARTTLS: 530 is made for it (RFC 3207 section 4), and hosts say the same
 * with other codes (Exchange 451 5.7.3, Gmail 421 4.7.0, RFC 7817's 5.7.10).
 */
export function demandsTls(reply: Reply): boolean {
  if (reply.code < 400) return false;
  if (reply.enhanced === '5.7.10') return true;
  const text = reply.lines.join(' ');
  return tlsWords.test(text) && (reply.code === 530 || demandWords.test(text));
}

/** Waits for one reply: the phase's own time from now, never past the caller's deadline. */
function readReply(
  connection: Connection,
  waitMs: number,
  { clock, patience }: { clock: Clock; patience: Patience },
): Promise<Heard> {
  return connection.read(Math.min(patience.deadline, clock.now() + waitMs));
}

function broken(phase: SmtpPhase, { fault }: { fault: Fault }): Break {
  return { kind: 'broken', phase, fault };
}
