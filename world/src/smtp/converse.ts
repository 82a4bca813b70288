/**
 * One connection of a mail host. Lines are noted and queued; commands are answered in order, and the replies to
 * commands that came together leave together.
 *
 * The banner is queued first, like the answer to a command. The queue is answered at the end of the event-loop turn, so
 * that a pipelined group in several segments still counts as one round trip. A silent host leaves its command in the
 * queue for ever, so the conversation is no longer in step.
 */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Act, type Aftermath, flush, perform, seededRandom, type Wire } from './act.ts';
import { type Command, lineReader, type LineReader, parseCommand } from './command.ts';
import type { MailHost } from './mail-host.ts';
import {
  type Conversation,
  keepConversation,
  keepViolation,
  newConversation,
  type SmtpRecord,
  type ViolationKind,
} from './record.ts';
import { secureStream } from './secure-stream.ts';
import { answer, greet, mayPipeline, openSession, secured, type Session, thinkingMs } from './session.ts';

type Waiting = { command: Command | 'banner'; dueAt: number };

type Exchange = {
  record: SmtpRecord;
  conversation: Conversation;
  session: Session;
  wire: Wire;
  reader: LineReader;
  queue: Waiting[];
  /** A call of `work` is scheduled; a second one must not start. */
  scheduled: boolean;
  quitSeen: boolean;
};

const transcriptLineLength = 400;
/** The client must wait for the reply to these commands (RFC 2920 section 3.1, RFC 3207 section 4). */
const endsGroup = new Set(['EHLO', 'HELO', 'STARTTLS', 'QUIT']);

export function converse(socket: Socket, host: MailHost, record: SmtpRecord): void {
  const exchange = openExchange(socket, host, record);
  keepConversation(record, exchange.conversation);
  for (const counts of [record.total, host.counts]) {
    counts.connections += 1;
    counts.open += 1;
    counts.mostOpen = Math.max(counts.mostOpen, counts.open);
  }
  host.open.add(exchange.conversation);
  socket.on('close', () => leave(exchange));
  listenTo(exchange, socket);
  enqueue(exchange, 'banner');
}

function openExchange(socket: Socket, host: MailHost, record: SmtpRecord): Exchange {
  const client = socket.remoteAddress ?? 'gone';
  const number = host.conversations;
  const hasOthers = [...host.open].some((one) => one.client === client && one.ended === 'open');
  const seed = seedOfNext(host);
  const conversation = newConversation({ host: host.name, client, startedAt: host.now(), seed });
  const report = (kind: ViolationKind, detail: string) =>
    keepViolation(record, conversation, { kind, detail });
  const random = seed === undefined ? undefined : seededRandom(seed);
  const exchange: Exchange = {
    record,
    conversation,
    session: openSession({ host, client, number, hasOthers, random, report }),
    wire: { stream: socket, socket, unsent: '', outOfStep: false },
    reader: lineReader({ onLine: (line) => hear(exchange, line), report }),
    queue: [],
    scheduled: false,
    quitSeen: false,
  };
  return exchange;
}

/** Returns the seed of a fuzzing host's next conversation; the number of the conversation decides it. */
function seedOfNext(host: MailHost): number | undefined {
  const { fuzzSeed } = host.temper;
  const seed = fuzzSeed === undefined ? undefined : fuzzSeed + host.conversations * 7_919;
  host.conversations += 1;
  return seed;
}

function listenTo(exchange: Exchange, stream: Duplex): void {
  stream.on('data', (chunk: Buffer) => exchange.reader.read(chunk));
  stream.on('error', () => stream.destroy());
}

function hear(exchange: Exchange, line: string): void {
  const { conversation, session, queue } = exchange;
  const command = parseCommand(line);
  note(exchange, 'C', line);
  for (const counts of [exchange.record.total, session.host.counts]) {
    counts.commands[command.verb] = (counts.commands[command.verb] ?? 0) + 1;
  }
  if (command.verb === 'QUIT') exchange.quitSeen = true;
  if (conversation.ended !== 'open') return;
  const before = queue.at(-1)?.command;
  if (before === 'banner') session.report('spoke_before_banner', line);
  else if (before?.verb === 'STARTTLS') session.report('spoke_after_starttls', line);
  else if (before !== undefined && (!mayPipeline(session) || endsGroup.has(before.verb))) {
    session.report('pipelined_unasked', line);
  }
  enqueue(exchange, command);
}

function enqueue(exchange: Exchange, command: Waiting['command']): void {
  const { latencyMs } = exchange.session.host;
  if (exchange.queue.length === 0) countRoundTrips(exchange, 1);
  exchange.queue.push({ command, dueAt: latencyMs === 0 ? 0 : performance.now() + latencyMs });
  if (exchange.scheduled) return;
  exchange.scheduled = true;
  setImmediate(work, exchange);
}

/** Answers queued commands until the queue is empty, a reply is not due yet, or the host is stuck. */
function work(exchange: Exchange): void {
  const { queue, session } = exchange;
  for (let head = queue[0]; head !== undefined; head = queue[0]) {
    const earlyMs = head.dueAt === 0 ? 0 : head.dueAt - performance.now();
    if (earlyMs > 0) {
      later(exchange, earlyMs, work);
      return;
    }
    const act = head.command === 'banner' ? greet(session) : answer(session, head.command);
    const delayMs = thinkingMs(session);
    if (delayMs > 0) {
      const next = () => doAct(exchange, act) && work(exchange);
      if (session.host.temper.holdsReplies === true) setTimeout(next, delayMs).unref();
      else later(exchange, delayMs, next);
      return;
    }
    if (!doAct(exchange, act)) return;
  }
  flush(exchange.wire);
  exchange.scheduled = false;
}

function later(exchange: Exchange, ms: number, next: (exchange: Exchange) => void): void {
  flush(exchange.wire);
  setTimeout(next, ms, exchange).unref();
}

/** Returns true if the next command may be answered. */
function doAct(exchange: Exchange, act: Act): boolean {
  note(exchange, 'S', Buffer.from(act.text, 'latin1').toString());
  const progress = perform(exchange.wire, act, (then) => {
    if (carryOn(exchange, then)) work(exchange);
  });
  switch (progress) {
    case 'stuck':
      return false;
    case 'gone':
      exchange.conversation.ended = 'by_host';
      return false;
    case 'next':
    case 'close':
    case 'vanish':
    case 'start_tls':
      return carryOn(exchange, progress);
  }
}

function carryOn(exchange: Exchange, then: Aftermath): boolean {
  switch (then) {
    case 'next':
      exchange.queue.shift();
      return true;
    case 'close':
      exchange.conversation.ended = 'by_host';
      flush(exchange.wire);
      exchange.wire.stream.end();
      return false;
    case 'vanish':
      exchange.conversation.ended = 'by_host';
      exchange.wire.unsent = '';
      exchange.wire.socket.destroy();
      return false;
    case 'start_tls':
      flush(exchange.wire);
      startTls(exchange);
      return false;
  }
}

/** STARTTLS stays in the queue until the handshake is done: before that the conversation is not in step. */
function startTls(exchange: Exchange): void {
  const { wire, session } = exchange;
  const { temper, tls } = session.host;
  if (exchange.reader.rest() !== '') session.report('spoke_after_starttls', exchange.reader.rest());
  wire.socket.removeAllListeners('data');
  secureStream({ socket: wire.socket, contexts: tls, fault: temper.tlsFault }, (stream, roundTrips) => {
    secured(session);
    exchange.conversation.secure = true;
    for (const counts of [exchange.record.total, session.host.counts]) counts.handshakes += 1;
    countRoundTrips(exchange, roundTrips);
    wire.stream = stream;
    exchange.reader = lineReader({ onLine: (line) => hear(exchange, line), report: session.report });
    exchange.queue.length = 0;
    // A host that stalls from here on never answers its queue.
    exchange.scheduled = temper.tlsFault === 'stall_after_handshake';
    listenTo(exchange, stream);
  });
}

function countRoundTrips(exchange: Exchange, count: number): void {
  exchange.conversation.roundTrips += count;
  exchange.record.total.roundTrips += count;
  exchange.session.host.counts.roundTrips += count;
}

function leave(exchange: Exchange): void {
  const { conversation, queue, wire, session } = exchange;
  exchange.record.total.open -= 1;
  session.host.counts.open -= 1;
  session.host.open.delete(conversation);
  if (conversation.ended !== 'open') return;
  conversation.ended = exchange.record.closing ? 'by_host' : 'by_client';
  if (exchange.record.closing) return;
  const inStep = queue.length === 0 && !wire.outOfStep;
  if (inStep && !exchange.quitSeen) session.report('ended_without_quit', conversation.lines.at(-1) ?? '');
}

function note(exchange: Exchange, who: 'C' | 'S', text: string): void {
  const { lines } = exchange.conversation;
  for (const line of text.split('\r\n')) {
    if (line !== '') lines.push(`${who}: ${line.slice(0, transcriptLineLength)}`);
  }
}
