/**
 * One connection of a mail host. Lines come in, are noted and queued; commands are answered in order,
 * and the replies to commands that came together go out together.
 *
 * The banner is the answer to a command nobody sent: it stands in the queue first. The queue is
 * worked off at the end of the event-loop turn, so that a pipelined group that was cut into segments
 * still counts as one round trip. A silent host leaves its command in the queue for ever, and with it
 * the conversation is no longer in step.
 */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Act, Aftermath } from './act.ts';
import { parseCommand } from './command.ts';
import type { Command } from './command.ts';
import { seededRandom } from './fuzz-act.ts';
import type { MailHost } from './mail-host.ts';
import { flush, perform } from './perform.ts';
import type { Wire } from './perform.ts';
import { lineReader } from './read-lines.ts';
import type { LineReader } from './read-lines.ts';
import { keepConversation, keepViolation, newConversation } from './record.ts';
import type { Conversation, SmtpRecord, ViolationKind } from './record.ts';
import { answer, greet, mayPipeline, openSession, secured, thinkingMs } from './session.ts';
import type { Session } from './session.ts';
import { secureStream } from './secure-stream.ts';

type Waiting = { command: Command | 'banner'; dueAt: number };

type Talk = {
  record: SmtpRecord;
  conversation: Conversation;
  session: Session;
  wire: Wire;
  reader: LineReader;
  queue: Waiting[];
  /** Somebody will call `work`: it must not be started twice. */
  scheduled: boolean;
  quitSeen: boolean;
};

const transcriptLineLength = 400;
/** Commands after which the client has to wait for the reply (RFC 2920 section 3.1, RFC 3207 section 4). */
const endsGroup = new Set(['EHLO', 'HELO', 'STARTTLS', 'QUIT']);

export function converse(socket: Socket, host: MailHost, record: SmtpRecord): void {
  const talk = openTalk(socket, host, record);
  keepConversation(record, talk.conversation);
  for (const counts of [record.total, host.counts]) {
    counts.connections += 1;
    counts.open += 1;
    counts.mostOpen = Math.max(counts.mostOpen, counts.open);
  }
  socket.on('close', () => leave(talk));
  listenTo(talk, socket);
  enqueue(talk, 'banner');
}

function openTalk(socket: Socket, host: MailHost, record: SmtpRecord): Talk {
  const client = socket.remoteAddress ?? 'gone';
  const seed = seedOfNext(host);
  const conversation = newConversation({ host: host.name, client, startedAt: host.now(), seed });
  const report = (kind: ViolationKind, detail: string) =>
    keepViolation(record, conversation, { kind, detail });
  const random = seed === undefined ? undefined : seededRandom(seed);
  const talk: Talk = {
    record,
    conversation,
    session: openSession({ host, client, random, report }),
    wire: { stream: socket, socket, unsent: '', outOfStep: false },
    reader: lineReader({ onLine: (line) => hear(talk, line), report }),
    queue: [],
    scheduled: false,
    quitSeen: false,
  };
  return talk;
}

/** Every conversation with a fuzzing host goes another way, but always the same one for its number. */
function seedOfNext(host: MailHost): number | undefined {
  const { fuzzSeed } = host.temper;
  const seed = fuzzSeed === undefined ? undefined : fuzzSeed + host.conversations * 7_919;
  host.conversations += 1;
  return seed;
}

function listenTo(talk: Talk, stream: Duplex): void {
  stream.on('data', (chunk: Buffer) => talk.reader.read(chunk));
  stream.on('error', () => stream.destroy());
}

function hear(talk: Talk, line: string): void {
  const { conversation, session, queue } = talk;
  const command = parseCommand(line);
  note(talk, 'C', line);
  for (const counts of [talk.record.total, session.host.counts]) {
    counts.commands[command.verb] = (counts.commands[command.verb] ?? 0) + 1;
  }
  if (command.verb === 'QUIT') talk.quitSeen = true;
  if (conversation.ended !== 'open') return;
  const before = queue.at(-1)?.command;
  if (before === 'banner') session.report('spoke_before_banner', line);
  else if (before?.verb === 'STARTTLS') session.report('spoke_after_starttls', line);
  else if (before !== undefined && (!mayPipeline(session) || endsGroup.has(before.verb))) {
    session.report('pipelined_unasked', line);
  }
  enqueue(talk, command);
}

function enqueue(talk: Talk, command: Waiting['command']): void {
  const { latencyMs } = talk.session.host;
  if (talk.queue.length === 0) countRoundTrips(talk, 1);
  talk.queue.push({ command, dueAt: latencyMs === 0 ? 0 : performance.now() + latencyMs });
  if (talk.scheduled) return;
  talk.scheduled = true;
  setImmediate(work, talk);
}

/** Answers what waits, until the queue is empty, a reply is not due yet, or the host stands still. */
function work(talk: Talk): void {
  const { queue, session } = talk;
  for (let head = queue[0]; head !== undefined; head = queue[0]) {
    const earlyMs = head.dueAt === 0 ? 0 : head.dueAt - performance.now();
    if (earlyMs > 0) {
      later(talk, earlyMs, work);
      return;
    }
    const act = head.command === 'banner' ? greet(session) : answer(session, head.command);
    const delayMs = thinkingMs(session);
    if (delayMs > 0) {
      const next = () => doAct(talk, act) && work(talk);
      if (session.host.temper.holdsReplies === true) setTimeout(next, delayMs).unref();
      else later(talk, delayMs, next);
      return;
    }
    if (!doAct(talk, act)) return;
  }
  flush(talk.wire);
  talk.scheduled = false;
}

function later(talk: Talk, ms: number, next: (talk: Talk) => void): void {
  flush(talk.wire);
  setTimeout(next, ms, talk).unref();
}

/** True when the next command may be answered. */
function doAct(talk: Talk, act: Act): boolean {
  note(talk, 'S', Buffer.from(act.text, 'latin1').toString());
  const progress = perform(talk.wire, act, (then) => {
    if (carryOn(talk, then)) work(talk);
  });
  switch (progress) {
    case 'stuck':
      return false;
    case 'gone':
      talk.conversation.ended = 'by_host';
      return false;
    case 'next':
    case 'close':
    case 'vanish':
    case 'start_tls':
      return carryOn(talk, progress);
  }
}

function carryOn(talk: Talk, then: Aftermath): boolean {
  switch (then) {
    case 'next':
      talk.queue.shift();
      return true;
    case 'close':
      talk.conversation.ended = 'by_host';
      flush(talk.wire);
      talk.wire.stream.end();
      return false;
    case 'vanish':
      talk.conversation.ended = 'by_host';
      talk.wire.unsent = '';
      talk.wire.socket.destroy();
      return false;
    case 'start_tls':
      flush(talk.wire);
      startTls(talk);
      return false;
  }
}

/** STARTTLS stays in the queue until the handshake is done: till then the conversation is not in step. */
function startTls(talk: Talk): void {
  const { wire, session } = talk;
  const { temper, tls } = session.host;
  if (talk.reader.rest() !== '') session.report('spoke_after_starttls', talk.reader.rest());
  wire.socket.removeAllListeners('data');
  secureStream({ socket: wire.socket, contexts: tls, fault: temper.tlsFault }, (stream, roundTrips) => {
    secured(session);
    talk.conversation.secure = true;
    for (const counts of [talk.record.total, session.host.counts]) counts.handshakes += 1;
    countRoundTrips(talk, roundTrips);
    wire.stream = stream;
    talk.reader = lineReader({ onLine: (line) => hear(talk, line), report: session.report });
    talk.queue.length = 0;
    // A host that stalls from here on never gets to work off its queue.
    talk.scheduled = temper.tlsFault === 'stall_after_handshake';
    listenTo(talk, stream);
  });
}

function countRoundTrips(talk: Talk, count: number): void {
  talk.conversation.roundTrips += count;
  talk.record.total.roundTrips += count;
  talk.session.host.counts.roundTrips += count;
}

function leave(talk: Talk): void {
  const { conversation, queue, wire, session } = talk;
  talk.record.total.open -= 1;
  session.host.counts.open -= 1;
  if (conversation.ended !== 'open') return;
  conversation.ended = talk.record.closing ? 'by_host' : 'by_client';
  if (talk.record.closing) return;
  const inStep = queue.length === 0 && !wire.outOfStep;
  if (inStep && !talk.quitSeen) session.report('ended_without_quit', conversation.lines.at(-1) ?? '');
}

function note(talk: Talk, who: 'C' | 'S', text: string): void {
  const { lines } = talk.conversation;
  for (const line of text.split('\r\n')) {
    if (line !== '') lines.push(`${who}: ${line.slice(0, transcriptLineLength)}`);
  }
}
