/**
 * Puts one question to one server: over UDP, without EDNS if the server cannot read it, over TCP
 * if the answer was cut off. It waits until the server has spoken or the try is ended; when to
 * turn to another server meanwhile is the business of `ask-servers.ts`.
 */
import { askOverTcp } from './ask-over-tcp.ts';
import { encodeQuery } from './encode-query.ts';
import type { Semaphore } from './semaphore.ts';
import type { LookupFailure } from './lookup.ts';
import { HEADER_BYTES } from './numbers.ts';
import type { DnsAnswer, DnsServer, DnsQuestion } from './question.ts';
import { readAnswer } from './read-answer.ts';
import type { Reading } from './read-answer.ts';
import type { Random } from './udp-socket.ts';
import type { UdpPool } from './udp-pool.ts';

export type ServerReply =
  | { kind: 'answered'; answer: DnsAnswer }
  | { kind: 'declined'; failure: LookupFailure }
  /** Nobody listens there, or the connection broke. */
  | { kind: 'unreachable' };

type ServerRequest = {
  server: DnsServer;
  question: DnsQuestion;
  /** Told once what the server said, unless the try was ended before. */
  replied(reply: ServerReply): void;
  /** Told of a message that carried the right id and made no sense. */
  unreadable(): void;
  /** Told of a defect of ours. */
  failed(error: unknown): void;
};

export type WireParts = { udp: UdpPool; tcpQueries: Semaphore; countTcp(): void; random: Random };

/** What a reading is once unreadable and foreign messages have been passed over. */
type HeardAnswer = Exclude<Reading, { kind: 'foreign' | 'unreadable' }> | { kind: 'unreachable' };

/** The returned function ends the try. A lookup makes hundreds a second of these, so a try is callbacks and no promise. */
export function askServer(parts: WireParts, request: ServerRequest): () => void {
  let stop = overUdp(parts, request, { withEdns: true, heard: hearFirst });
  return () => stop();

  function hearFirst(heard: HeardAnswer): void {
    if (heard.kind === 'format_error') stop = overUdp(parts, request, { withEdns: false, heard: hearUdp });
    else hearUdp(heard);
  }
  function hearUdp(heard: HeardAnswer): void {
    if (heard.kind === 'truncated') stop = overTcp(parts, request);
    else request.replied(replyOf(heard));
  }
}

function replyOf(heard: HeardAnswer): ServerReply {
  switch (heard.kind) {
    case 'answered':
    case 'declined':
    case 'unreachable':
      return heard;
    case 'format_error':
      return { kind: 'declined', failure: 'other_rcode' };
    case 'truncated':
      // Nothing is larger than TCP carries: a server that truncates there is broken.
      return { kind: 'declined', failure: 'malformed' };
  }
}

function overUdp(
  { udp }: WireParts,
  request: ServerRequest,
  { withEdns, heard }: { withEdns: boolean; heard: (answer: HeardAnswer) => void },
): () => void {
  const { server, question } = request;
  const stop = udp.send({
    server,
    encode: (id) => encodeQuery({ id, question, withEdns }),
    heard(message) {
      const reading = readAnswer(message, question);
      if (reading.kind === 'unreadable') request.unreadable();
      else if (reading.kind !== 'foreign') finish(reading);
    },
    unreachable: () => finish({ kind: 'unreachable' }),
  });
  function finish(answer: HeardAnswer): void {
    stop();
    heard(answer);
  }
  return stop;
}

/** Why a query over TCP ends with its lookup; made once, since an abort without a reason makes an exception each time. */
const lookupEnded = new Error('the lookup has ended');

function overTcp(parts: WireParts, request: ServerRequest): () => void {
  const life = new AbortController();
  hearOverTcp(parts, request, life.signal).then(
    (heard) => {
      if (!life.signal.aborted) request.replied(replyOf(heard));
    },
    (error: unknown) => request.failed(error),
  );
  return () => life.abort(lookupEnded);
}

async function hearOverTcp(
  parts: WireParts,
  { server, question }: ServerRequest,
  signal: AbortSignal,
): Promise<HeardAnswer> {
  // A place is refused for one reason only: the signal fired.
  const release = await parts.tcpQueries.acquire(signal).catch(() => undefined);
  if (release === undefined) return { kind: 'unreachable' };
  try {
    const id = parts.random(0x10000);
    parts.countTcp();
    const message = await askOverTcp(server, encodeQuery({ id, question, withEdns: true }), signal);
    if (message === undefined) return { kind: 'unreachable' };
    const ours = message.length >= HEADER_BYTES && message.readUInt16BE(0) === id;
    const reading: Reading = ours ? readAnswer(message, question) : { kind: 'foreign' };
    // A connection carries one answer to one question: there is no better message to wait for.
    if (reading.kind === 'unreadable' || reading.kind === 'foreign')
      return { kind: 'declined', failure: 'malformed' };
    return reading;
  } finally {
    release();
  }
}
