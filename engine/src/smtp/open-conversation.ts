import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { SmtpPhase } from '../evidence.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { createConnection, type Connection, type Fault, type Heard } from './connection.ts';
import type { Reply } from './reply-reader.ts';

/**
 * From a connected socket to a host that is ready for MAIL: banner, EHLO (HELO where EHLO is not
 * understood), and STARTTLS with a second EHLO where it is wanted.
 */
export type Capabilities = { pipelining: boolean; smtputf8: boolean; starttls: boolean };

export type Conversation = {
  host: CanonicalHost;
  connection: Connection;
  capabilities: Capabilities;
  encrypted: boolean;
};

/** A conversation that ended before MAIL: by a reply, or by a fault of the line. */
export type Setback =
  { kind: 'refused'; phase: SmtpPhase; reply: Reply } | { kind: 'broken'; phase: SmtpPhase; fault: Fault };

export type ConversationParts = {
  clock: Clock;
  limits: Limits;
  heloName: string;
};

type Opened = { kind: 'open'; conversation: Conversation } | (Setback & { connection: Connection });

export async function openConversation(
  { socket, host }: { socket: Socket; host: CanonicalHost },
  parts: ConversationParts,
  patience: Patience,
): Promise<Opened> {
  const { clock, limits } = parts;
  const connection = createConnection(socket, { clock, limits, signal: patience.signal });
  const banner = await readReply(connection, limits.bannerMs, { clock, patience });
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
): Promise<{ kind: 'encrypted' } | Setback> {
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
  return { kind: 'encrypted' };
}

/** The codes by which a host says that it does not know EHLO (RFC 5321 section 4.1.4). */
const ehloNotUnderstood: ReadonlySet<number> = new Set([500, 501, 502, 504, 550]);

async function greet(
  connection: Connection,
  parts: ConversationParts,
  patience: Patience,
): Promise<{ kind: 'greeted'; capabilities: Capabilities } | Setback> {
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
  return { kind: 'greeted', capabilities: { pipelining: false, smtputf8: false, starttls: false } };
}

function readCapabilities(reply: Reply, limits: Limits): Capabilities {
  const lines = reply.lines.slice(1, 1 + limits.ehloKeywords);
  const keywords = new Set(lines.map((line) => line.trim().split(' ')[0]?.toUpperCase()));
  return {
    pipelining: keywords.has('PIPELINING'),
    smtputf8: keywords.has('SMTPUTF8'),
    starttls: keywords.has('STARTTLS'),
  };
}

/** Waits for one reply: the phase's own time from now, never past the caller's deadline. */
export function readReply(
  connection: Connection,
  waitMs: number,
  { clock, patience }: { clock: Clock; patience: Patience },
): Promise<Heard> {
  return connection.read(Math.min(patience.deadline, clock.now() + waitMs));
}

export function broken(phase: SmtpPhase, { fault }: { fault: Fault }): Setback & { kind: 'broken' } {
  return { kind: 'broken', phase, fault };
}
