/**
 * Puts one question to one server: over UDP, without EDNS if the server cannot read it, over TCP if the answer was
 * cut off. A try lasts until the server has answered or the try is ended. `ask-servers.ts` decides when to ask
 * another server meanwhile.
 */
import { connect } from 'node:net';
import type { LookupFailure, DnsAnswer, DnsServer, DnsQuestion } from './lookup.ts';
import { encodeQuery, HEADER_BYTES } from './message.ts';
import { readAnswer, type Reading } from './read-answer.ts';
import type { Random, PooledQuery, PooledSocket, UdpPool } from './udp-pool.ts';

export type ServerReply =
  | { kind: 'answered'; answer: DnsAnswer }
  | { kind: 'declined'; failure: LookupFailure }
  /** No process listens there, or the connection broke. */
  | { kind: 'unreachable' };

/** The lookup that a try is made for. */
export type TryOwner = {
  readonly question: DnsQuestion;
  /** Called once with the server's reply, unless the try was ended before. */
  replied(index: number, reply: ServerReply): void;
  /** Called for a message that carried the right id and made no sense. */
  unreadable(): void;
  /** Called for a defect of ours. */
  failed(error: unknown): void;
};

export type WireParts = { udp: UdpPool; tcpQueries: Semaphore; countTcp(): void; random: Random };

/** A reading, once unreadable and foreign messages have been passed over. */
type HeardAnswer = Exclude<Reading, { kind: 'foreign' | 'unreadable' }> | { kind: 'unreachable' };

const unreachable: HeardAnswer = { kind: 'unreachable' };

/**
 * The reason by which a query over TCP ends with its lookup. Made once, since an abort without a reason creates an
 * exception each time.
 */
const lookupEnded = new Error('the lookup has ended');

/** There are hundreds of tries a second, so a try is one object, which waits on its socket by itself. */
export class ServerTry implements PooledQuery {
  readonly server: DnsServer;
  readonly question: DnsQuestion;
  withEdns = true;
  id = 0;
  sentOver: PooledSocket | undefined = undefined;
  private readonly wire: WireParts;
  private readonly owner: TryOwner;
  private readonly index: number;
  private overTcp: AbortController | undefined = undefined;

  /** `index` is the owner's number for the server. */
  constructor(wire: WireParts, owner: TryOwner, { server, index }: { server: DnsServer; index: number }) {
    this.server = server;
    this.question = owner.question;
    this.wire = wire;
    this.owner = owner;
    this.index = index;
  }

  begin(): void {
    this.wire.udp.send(this);
  }

  end(): void {
    this.wire.udp.stop(this);
    this.overTcp?.abort(lookupEnded);
  }

  heard(message: Buffer): void {
    const reading = readAnswer(message, this.question);
    if (reading.kind === 'unreadable') this.owner.unreadable();
    else if (reading.kind !== 'foreign') this.finishUdp(reading);
  }

  unreachable(): void {
    this.finishUdp(unreachable);
  }

  private finishUdp(heard: HeardAnswer): void {
    this.wire.udp.stop(this);
    if (heard.kind === 'format_error' && this.withEdns) {
      this.withEdns = false;
      this.begin();
    } else if (heard.kind === 'truncated') {
      this.turnToTcp();
    } else {
      this.owner.replied(this.index, replyOf(heard));
    }
  }

  private turnToTcp(): void {
    const { signal } = (this.overTcp = new AbortController());
    hearOverTcp(this.wire, this, signal).then(
      (heard) => {
        if (!signal.aborted) this.owner.replied(this.index, replyOf(heard));
      },
      (error: unknown) => this.owner.failed(error),
    );
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

async function hearOverTcp(
  parts: WireParts,
  { server, question }: Pick<ServerTry, 'server' | 'question'>,
  signal: AbortSignal,
): Promise<HeardAnswer> {
  // A place is refused for one reason only: the signal fired.
  const release = await parts.tcpQueries.acquire(signal).catch(() => undefined);
  if (release === undefined) return unreachable;
  try {
    const id = parts.random(0x10000);
    parts.countTcp();
    const message = await askOverTcp(server, encodeQuery({ id, question, withEdns: true }), signal);
    if (message === undefined) return unreachable;
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

/**
 * DNS over TCP (RFC 1035 section 4.2.2): two bytes of length, then the message. The length has 16 bits, so no answer
 * is longer than 64 KiB, whatever the server does.
 */

const LENGTH_BYTES = 2;
const MAX_MESSAGE_BYTES = 0xffff;

/** Returns the server's message, or nothing if the connection or the signal ended before it was whole. */
function askOverTcp(server: DnsServer, query: Buffer, signal: AbortSignal): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const inbox = Buffer.alloc(LENGTH_BYTES + MAX_MESSAGE_BYTES);
    let filled = 0;
    const socket = connect({ host: server.ip, port: server.port, noDelay: true });
    const finish = (message: Buffer | undefined) => {
      signal.removeEventListener('abort', giveUp);
      socket.destroy();
      resolve(message);
    };
    const giveUp = () => finish(undefined);
    signal.addEventListener('abort', giveUp, { once: true });
    socket.on('error', giveUp);
    socket.on('close', giveUp);
    socket.on('connect', () => socket.write(withLength(query)));
    socket.on('data', (chunk) => {
      filled += chunk.copy(inbox, filled);
      const message = wholeMessage(inbox.subarray(0, filled));
      if (message !== undefined) finish(message);
    });
    if (signal.aborted) giveUp();
  });
}

function withLength(query: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(query.length);
  return Buffer.concat([length, query]);
}

function wholeMessage(received: Buffer): Buffer | undefined {
  if (received.length < LENGTH_BYTES) return undefined;
  const end = LENGTH_BYTES + received.readUInt16BE(0);
  return received.length < end ? undefined : received.subarray(LENGTH_BYTES, end);
}

/** Bounds how many callers do something at once; the others wait in the order they came. */
type Semaphore = {
  /** Waits for a place; the returned function gives it back. Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<() => void>;
};

export function createSemaphore(places: number): Semaphore {
  let taken = 0;
  // A Set keeps the order of arrival and forgets a caller that gave up without a search.
  const waiting = new Set<() => void>();

  /** Hands the place to the caller that has waited longest, or frees it. */
  function release(): void {
    const [next] = waiting;
    if (next === undefined) taken -= 1;
    else next();
  }

  /** Waits until a place is handed over or the signal fires, and returns which. */
  function placeOrAbort(signal: AbortSignal): Promise<'place' | 'aborted'> {
    return new Promise((resolve) => {
      const giveUp = () => {
        waiting.delete(admit);
        resolve('aborted');
      };
      const admit = () => {
        waiting.delete(admit);
        signal.removeEventListener('abort', giveUp);
        resolve('place');
      };
      waiting.add(admit);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  return {
    async acquire(signal) {
      signal.throwIfAborted();
      if (taken < places) taken += 1;
      else if ((await placeOrAbort(signal)) === 'aborted') signal.throwIfAborted();
      return once(release);
    },
  };
}

/** Returns a function that gives the place back once, however often its holder calls it. */
function once(release: () => void): () => void {
  let held = true;
  return () => {
    if (held) release();
    held = false;
  };
}
