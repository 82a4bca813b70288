import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { SmtpPhase } from '../evidence.ts';
import type { Asker } from '../fair-queue.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { Command } from './command.ts';
import { Connection, type Fault, type Heard } from './connection.ts';
import type { Reply } from './reply-reader.ts';

/**
 * A conversation with a mail host, step by step, in the order of the protocol:
 *
 *     openConversation   banner, EHLO (HELO if EHLO is not understood)
 *     encrypt            STARTTLS, the handshake, and a second EHLO, if it is wanted
 *     exchange           a group of commands and the replies to them, as often as there is something to ask
 *     sayGoodbye         QUIT, and its reply, which proves the replies before it
 *
 * Other files decide what is asked and what the answers mean.
 */
type Urgency = Asker['urgency'];

type Capabilities = {
  pipelining: boolean;
  smtputf8: boolean;
  starttls: boolean;
  /**
   * Whether an unlisted extension is surely not offered: the list came whole, in reply to EHLO, and no middlebox
   * changed it.
   */
  isWhole: boolean;
};

export type Conversation = {
  host: CanonicalHost;
  connection: Connection;
  capabilities: Capabilities;
  encrypted: boolean;
};

/** The early end of a conversation: a reply that turned us away, or a fault of the connection. */
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
  const connection = new Connection(socket, { clock, limits, signal: patience.signal });
  const bannerMs = urgency === 'bulk' ? limits.bulkBannerMs : limits.bannerMs;
  const banner = await connection.read(deadlineIn(bannerMs, clock, patience));
  if (banner.kind === 'fault') return { kind: 'broken', phase: 'banner', fault: banner.fault, connection };
  if (banner.reply.code !== 220) return { kind: 'refused', phase: 'banner', reply: banner.reply, connection };
  const ehlo = await sayEhlo(connection, parts, patience);
  const greeted = readEhlo(ehlo, limits) ?? (await sayHelo(connection, parts, patience));
  if (greeted.kind !== 'greeted') return { ...greeted, connection };
  return {
    kind: 'open',
    conversation: { host, connection, capabilities: greeted.capabilities, encrypted: false },
  };
}

/** STARTTLS, the handshake, and EHLO anew: everything the host said in the clear is forgotten (RFC 3207 4.2). */
export async function encrypt(
  conversation: Conversation,
  parts: ConversationParts,
  patience: Patience,
): Promise<Failure | undefined> {
  const { connection } = conversation;
  const { clock, limits } = parts;
  const startedAt = clock.now();
  connection.send([{ verb: 'STARTTLS' }]);
  const answer = await connection.read(deadlineIn(limits.tlsMs, clock, patience));
  if (answer.kind === 'fault') return broken('starttls', answer);
  if (answer.reply.code !== 220) return { kind: 'refused', phase: 'starttls', reply: answer.reply };
  const deadline = Math.min(patience.deadline, startedAt + limits.tlsMs);
  const fault = await connection.startTls(conversation.host, deadline);
  if (fault !== undefined) return { kind: 'broken', phase: 'starttls', fault };
  const ehlo = await sayEhlo(connection, parts, patience);
  const greeted = readEhlo(ehlo, limits) ?? (await sayHelo(connection, parts, patience));
  if (greeted.kind !== 'greeted') return greeted;
  conversation.capabilities = { ...greeted.capabilities, starttls: false };
  conversation.encrypted = true;
  return undefined;
}

type Greeted = { kind: 'greeted'; capabilities: Capabilities } | Failure;

function sayEhlo(
  connection: Connection,
  { clock, limits, heloName }: ConversationParts,
  patience: Patience,
): Promise<Heard> {
  connection.send([{ verb: 'EHLO', name: heloName }]);
  return connection.read(deadlineIn(limits.ehloMs, clock, patience));
}

/** The codes by which a host may say that it does not know EHLO (RFC 5321 section 4.1.4). */
const ehloUnknownCodes: ReadonlySet<number> = new Set([500, 501, 502, 504, 550]);

const unknownCommandWords =
  /\b(?:command|verb|ehlo|esmtp)\b.+\b(?:un(?:recogni[sz]ed|known|supported|implemented)|not (?:recogni[sz]ed|known|supported|implemented|understood)|invalid)|\b(?:un(?:recogni[sz]ed|known|supported|implemented)|invalid|bad)\b.+\b(?:command|verb|ehlo)\b/i;

const refusalWords =
  /\b(?:block\w*|den(?:y|ied)|reject\w*|refus\w*|spam\w*|polic\w*|reputation|black\w*|banned)\b/i;

/**
 * Whether a reply to EHLO says that the host does not know the command. A host that refuses us, or our name, would
 * refuse HELO as well: a second attempt would be importunate. 500 and 502 mean the command unless they say
 * otherwise; the others mean it only if they say so.
 */
function isEhloUnknown({ code, enhanced, lines }: Reply): boolean {
  if (!ehloUnknownCodes.has(code) || enhanced?.startsWith('5.7.') === true) return false;
  const text = lines.join(' ');
  if (refusalWords.test(text)) return false;
  return code === 500 || code === 502 || unknownCommandWords.test(text);
}

/** Reads the reply to EHLO; undefined if the host does not know the command. */
function readEhlo(answer: Heard, limits: Limits): Greeted | undefined {
  if (answer.kind === 'fault') return broken('ehlo', answer);
  const { reply } = answer;
  if (reply.code === 250) return { kind: 'greeted', capabilities: readCapabilities(reply, limits) };
  return isEhloUnknown(reply) ? undefined : { kind: 'refused', phase: 'ehlo', reply };
}

/** The greeting of a host that does not know EHLO. */
async function sayHelo(
  connection: Connection,
  { clock, limits, heloName }: ConversationParts,
  patience: Patience,
): Promise<Greeted> {
  connection.send([{ verb: 'HELO', name: heloName }]);
  const answer = await connection.read(deadlineIn(limits.ehloMs, clock, patience));
  if (answer.kind === 'fault') return broken('ehlo', answer);
  if (answer.reply.code !== 250) return { kind: 'refused', phase: 'ehlo', reply: answer.reply };
  return { kind: 'greeted', capabilities: noExtensions };
}

/** The extensions of a host that knows only HELO: none that we can count on. */
const noExtensions: Capabilities = { pipelining: false, smtputf8: false, starttls: false, isWhole: false };

const keywords: Record<Exclude<keyof Capabilities, 'isWhole'>, RegExp> = {
  pipelining: /^PIPELINING(?: |$)/i,
  smtputf8: /^SMTPUTF8(?: |$)/i,
  starttls: /^STARTTLS(?: |$)/i,
};

/** Some firewalls overwrite keywords that they do not know with X. */
const maskedKeyword = /^X{3}/;

function readCapabilities({ lines }: Reply, limits: Limits): Capabilities {
  const end = Math.min(lines.length, 1 + limits.ehloKeywords);
  const capabilities = { pipelining: false, smtputf8: false, starttls: false, isWhole: end === lines.length };
  for (let index = 1; index < end; index += 1) {
    const line = (lines[index] ?? '').trim();
    capabilities.pipelining ||= keywords.pipelining.test(line);
    capabilities.smtputf8 ||= keywords.smtputf8.test(line);
    capabilities.starttls ||= keywords.starttls.test(line);
    capabilities.isWhole &&= !maskedKeyword.test(line);
  }
  return capabilities;
}

/** One command of a group, and the phase that its reply belongs to. */
export type Step = { phase: SmtpPhase; command: Command };

type Exchanged = {
  /** The reply to each step, in order; absent if none came or the step was not said. */
  replies: (Reply | undefined)[];
  /** How long each reply took after the one before. */
  tookMs: number[];
  broken: Break | undefined;
};

type ExchangeParts = {
  clock: Clock;
  limits: Limits;
  patience: Patience;
  urgency: Urgency;
  /** Whether all commands leave at once; only if the host offers PIPELINING. */
  pipelining: boolean;
  /** Told of each reply: the next probe has waited behind it until now. */
  progress: { noteProgress(now: number): void };
};

/**
 * Says a group of commands and reads the replies. With PIPELINING (RFC 2920) all leave in one segment and cost one
 * round trip. Without it each waits for the reply before, and no recipient is named in a transaction that was
 * refused. If the connection breaks, the replies read until then are kept.
 *
 * A host may hold the replies to a pipelined group until its end, as Postfix does. So the first of them may take as
 * long as all missing replies together.
 */
export async function exchange(
  { connection }: Conversation,
  steps: readonly Step[],
  { clock, limits, patience, urgency, pipelining, progress }: ExchangeParts,
): Promise<Exchanged> {
  const replies: (Reply | undefined)[] = [];
  const tookMs: number[] = [];
  if (pipelining) connection.send(steps.map(commandOf));
  /** How long all missing replies may take together. */
  let awaitedMs = 0;
  for (const { command } of steps) awaitedMs += replyMs(command, limits, urgency);
  let mailRefused = false;
  let since = clock.now();
  // The next step is the first that has no place among the replies yet.
  for (let step = steps[0]; step !== undefined; step = steps[replies.length]) {
    const { phase, command } = step;
    if (command.verb !== 'RCPT') mailRefused = false;
    if (!pipelining && mailRefused) {
      replies.push(undefined);
      continue;
    }
    if (!pipelining) connection.send([command]);
    const ownMs = replyMs(command, limits, urgency);
    let answer = connection.heard();
    let now = since;
    if (answer === undefined) {
      const waitMs = pipelining ? awaitedMs : ownMs;
      answer = await connection.read(Math.min(patience.deadline, since + waitMs));
      now = clock.now();
    }
    if (answer.kind === 'fault') return { replies, tookMs, broken: broken(phase, answer) };
    awaitedMs -= ownMs;
    tookMs[replies.length] = now - since;
    since = now;
    replies.push(answer.reply);
    progress.noteProgress(now);
    if (command.verb === 'MAIL') mailRefused = !isAccepted(answer.reply);
  }
  return { replies, tookMs, broken: undefined };
}

/** Whether a refusal took long: by itself, or as its share if the replies came all at once. */
export function isSlowAtRefusing({ replies, tookMs }: Exchanged, { slowRefusalMs }: Limits): boolean {
  const allMs = tookMs.reduce((sum, ms) => sum + ms, 0);
  if (allMs < slowRefusalMs) return false;
  return replies.some(
    (reply, index) =>
      reply !== undefined &&
      reply.code >= 500 &&
      Math.max(tookMs[index] ?? 0, allMs / replies.length) >= slowRefusalMs,
  );
}

function commandOf({ command }: Step): Command {
  return command;
}

function replyMs({ verb }: Command, limits: Limits, urgency: Urgency): number {
  if (verb === 'RSET') return limits.rsetMs;
  if (verb === 'MAIL') return limits.mailMs;
  return urgency === 'bulk' ? limits.bulkRcptMs : limits.rcptMs;
}

/**
 * The proof that the reply to QUIT gives for the replies before it. A host that sent one reply too many has been
 * answering the wrong command ever since: its surplus reply takes the place of the 221 (`out_of_step`). If no reply
 * came, the goodbye is `missing` and nothing is proved.
 */
export type Goodbye = 'in_step' | 'out_of_step' | 'missing';

/** Says QUIT and waits for its reply. */
export function sayGoodbye(
  connection: Connection,
  { clock, limits }: Omit<ConversationParts, 'heloName'>,
  patience: Patience,
): Promise<Goodbye> {
  const fault = connection.fault();
  if (fault !== undefined) {
    connection.destroy();
    return Promise.resolve(goodbyeAfter(fault));
  }
  connection.send([{ verb: 'QUIT' }]);
  return connection.read(deadlineIn(limits.quitMs, clock, patience)).then((answer) => {
    connection.destroy();
    if (answer.kind === 'fault') return goodbyeAfter(answer.fault);
    return answer.reply.code === 221 || answer.reply.code === 421 ? 'in_step' : 'out_of_step';
  });
}

function goodbyeAfter(fault: Fault): Goodbye {
  return fault === 'protocol_error' ? 'out_of_step' : 'missing';
}

export function isAccepted({ code }: Reply): boolean {
  return code >= 200 && code < 300;
}

/** The only codes that accept a recipient (RFC 5321 section 4.3.2). */
export function acceptsRecipient({ code }: Pick<Reply, 'code'>): boolean {
  return code === 250 || code === 251 || code === 252;
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

const noMailWords =
  /\b(?:not|never|no longer|cannot|doesn't|don't|can't)\s+(?:accept|receive|take|handle)(?:s|ing)?\s+(?:(?:any|incoming|inbound|internet)\s+)*(?:e-?mails?|mails?|messages?|smtp)\b|\bno (?:smtp|mail|e-?mail) (?:service|server|here|accepted)\b|\bnot an? (?:smtp|mail|e-?mail) (?:server|host|exchanger)\b/i;
const oursWords =
  /\b(?:you|yours?|from|client|ips?|network|block\w*|\w*list(?:ed)?|spam\w*|polic\w*|reputation|den(?:y|ied)|reject\w*)\b/i;

/**
 * Whether a greeting says that the host takes no mail from any client (RFC 7504 section 3). Some hosts use the code
 * to turn one client away. Words about us make it a refusal like any other, and without words about mail it proves
 * nothing.
 */
export function greetsWithNoMail({ code, enhanced, lines }: Reply): boolean {
  if (code !== 521 || enhanced?.startsWith('5.7.') === true) return false;
  const text = lines.join(' ');
  return noMailWords.test(text) && !oursWords.test(text);
}

/** Whether a recipient's reply demands TLS that is on offer. If it is not, the reply is an answer like any other. */
export function isDemandAtRecipient(reply: Reply, { encrypted, capabilities }: Conversation): boolean {
  return !encrypted && capabilities.starttls && demandsTls(reply);
}

/** Returns the end of a phase that may take `waitMs` from now: never past the caller's deadline. */
function deadlineIn(waitMs: number, clock: Clock, patience: Patience): number {
  return Math.min(patience.deadline, clock.now() + waitMs);
}

function broken(phase: SmtpPhase, { fault }: { fault: Fault }): Break {
  return { kind: 'broken', phase, fault };
}
