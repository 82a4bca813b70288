/**
 * Puts one question to one server: over UDP, without EDNS if the server cannot read it, over TCP
 * if the answer was cut off. It waits until the server has spoken or the signal fires; when to
 * turn to another server meanwhile is the business of `ask-servers.ts`.
 */
import { askOverTcp } from './ask-over-tcp.ts';
import { encodeQuery } from './encode-query.ts';
import type { Semaphore } from './semaphore.ts';
import type { LookupFailure } from './lookup.ts';
import type { DnsAnswer, DnsServer, DnsQuestion } from './question.ts';
import { readAnswer } from './read-answer.ts';
import type { Reading } from './read-answer.ts';
import type { Random } from './udp-socket.ts';
import type { UdpPool } from './udp-pool.ts';

export type ServerReply =
  | { kind: 'answered'; answer: DnsAnswer }
  | { kind: 'declined'; failure: LookupFailure }
  /** Nobody listens there, or the connection broke, or the signal fired. */
  | { kind: 'unreachable' };

type ServerRequest = {
  server: DnsServer;
  question: DnsQuestion;
  signal: AbortSignal;
  /** Told of a message that carried the right id and made no sense. */
  unreadable(): void;
};

export type WireParts = { udp: UdpPool; tcpQueries: Semaphore; countTcp(): void; random: Random };

/** What a reading is once unreadable and foreign messages have been passed over. */
type HeardAnswer = Exclude<Reading, { kind: 'foreign' | 'unreadable' }> | { kind: 'unreachable' };

export async function askServer(parts: WireParts, request: ServerRequest): Promise<ServerReply> {
  let heard = await overUdp(parts, request, true);
  if (heard.kind === 'format_error') heard = await overUdp(parts, request, false);
  if (heard.kind === 'truncated') heard = await overTcp(parts, request);
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

function overUdp(parts: WireParts, request: ServerRequest, withEdns: boolean): Promise<HeardAnswer> {
  const { server, question, signal } = request;
  if (signal.aborted) return Promise.resolve({ kind: 'unreachable' });
  return new Promise((resolve) => {
    const finish = (heard: HeardAnswer) => {
      signal.removeEventListener('abort', giveUp);
      stop();
      resolve(heard);
    };
    const giveUp = () => finish({ kind: 'unreachable' });
    const stop = parts.udp.send({
      server,
      encode: (id) => encodeQuery({ id, question, withEdns }),
      heard: (message) => {
        const reading = readAnswer(message, question);
        if (reading.kind === 'unreadable') request.unreadable();
        else if (reading.kind !== 'foreign') finish(reading);
      },
      unreachable: giveUp,
    });
    signal.addEventListener('abort', giveUp, { once: true });
  });
}

async function overTcp(parts: WireParts, request: ServerRequest): Promise<HeardAnswer> {
  const { server, question, signal } = request;
  // A place is refused for one reason only: the signal fired.
  const release = await parts.tcpQueries.acquire(signal).catch(() => undefined);
  if (release === undefined) return { kind: 'unreachable' };
  try {
    const id = parts.random(0x10000);
    parts.countTcp();
    const message = await askOverTcp(server, encodeQuery({ id, question, withEdns: true }), signal);
    if (message === undefined) return { kind: 'unreachable' };
    const ours = message.length >= 12 && message.readUInt16BE(0) === id;
    const reading: Reading = ours ? readAnswer(message, question) : { kind: 'foreign' };
    // A connection carries one answer to one question: there is no better message to wait for.
    if (reading.kind === 'unreadable' || reading.kind === 'foreign')
      return { kind: 'declined', failure: 'malformed' };
    return reading;
  } finally {
    release();
  }
}
