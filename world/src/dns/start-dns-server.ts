/**
 * The world's name server on one loopback port, UDP and TCP. Answers wait until the end of the event-loop turn of their
 * query, so that simultaneous queries count as one wave (see `QueryLog`).
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { readQuery, respond, type Responder } from './respond.ts';
import type { ZoneBook } from './zones.ts';

type DnsServer = { port: number; stop(): Promise<void> };

type Parts = { book: ZoneBook; log: QueryLog; latencyMs: number };
type Exchange = { transport: 'udp' | 'tcp'; send: (message: Buffer) => void; done: () => void };

const address = '127.0.0.1';
const portAttempts = 20;
/** Longer than any query; a client that sends more is cut off. */
const longestTcpQuery = 4_096;

export async function startDnsServer(parts: Parts, wantedPort: number): Promise<DnsServer> {
  const { udp, tcp } = await listenOnBoth(wantedPort, portAttempts);
  const answer = answering(parts);
  let isStopped = false;
  udp.on('message', (message, client) => {
    const send = (reply: Buffer): void => {
      // The server may have stopped before a late answer.
      if (!isStopped) udp.send(reply, client.port, client.address);
    };
    answer(message, { transport: 'udp', send, done: () => undefined });
  });
  const sockets = new Set<Socket>();
  tcp.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serveTcp(socket, answer);
  });
  return {
    port: udp.address().port,
    async stop() {
      isStopped = true;
      for (const socket of sockets) socket.destroy();
      tcp.close();
      udp.close();
      await Promise.all([once(tcp, 'close'), once(udp, 'close')]);
    },
  };
}

/** Listens on the same port number for UDP and TCP. If no port was asked for, it tries several. */
async function listenOnBoth(port: number, attempts: number): Promise<{ udp: UdpSocket; tcp: Server }> {
  const udp = createSocket('udp4');
  udp.bind(port, address);
  await once(udp, 'listening');
  const tcp = createServer({ noDelay: true });
  tcp.listen(udp.address().port, address);
  try {
    await once(tcp, 'listening');
    return { udp, tcp };
  } catch (error) {
    udp.close();
    if (port !== 0 || attempts <= 1) throw error;
    return listenOnBoth(port, attempts - 1);
  }
}

function answering(parts: Parts): (message: Buffer, exchange: Exchange) => void {
  const { book, log, latencyMs } = parts;
  const turns = new Map<string, number>();
  const seen = new Set<string>();
  const responder: Responder = {
    book,
    turnOf(name) {
      const turn = turns.get(name) ?? 0;
      turns.set(name, turn + 1);
      return turn;
    },
    isFirst(question) {
      const first = !seen.has(question);
      seen.add(question);
      return first;
    },
  };
  return (message, exchange) => {
    const asked = readQuery(message);
    if (asked === undefined) {
      exchange.done();
      return;
    }
    log.arrived({ name: asked.name, type: asked.type, transport: exchange.transport });
    const response = respond(responder, asked, exchange.transport);
    const deliver = () => {
      log.answered();
      for (const reply of response.messages) exchange.send(reply);
      if (response.messages.length === 0) exchange.done();
    };
    const delayMs = response.delayMs + latencyMs;
    if (delayMs > 0) setTimeout(deliver, delayMs).unref();
    else setImmediate(deliver);
  };
}

/** DNS over TCP puts a length of two bytes before each message (RFC 1035 section 4.2.2). */
function serveTcp(socket: Socket, answer: (message: Buffer, exchange: Exchange) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  const exchange: Exchange = {
    transport: 'tcp',
    send(message) {
      if (socket.destroyed) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(message.length);
      socket.write(Buffer.concat([length, message]));
    },
    done: () => socket.end(),
  };
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    if (rest.length > longestTcpQuery) {
      socket.destroy();
      return;
    }
    while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
      const end = 2 + rest.readUInt16BE(0);
      answer(rest.subarray(2, end), exchange);
      rest = rest.subarray(end);
    }
  });
}

/**
 * The queries of the name server, with counts. A wave is a group of queries in flight together: a query that arrives
 * while none is unanswered opens a new wave. A client waits for waves, so A and AAAA side by side are two queries and
 * one wave.
 */
export type DnsQuery = { name: string; type: string; transport: 'udp' | 'tcp' };

export type DnsCounts = {
  queries: number;
  udp: number;
  tcp: number;
  waves: number;
  /** Counts by `name TYPE`, the name in lower case. */
  byQuestion: Record<string, number>;
};

type QueryLog = {
  counts: DnsCounts;
  /** Queries with names spelt as on the wire, up to a maximum. */
  queries: DnsQuery[];
  arrived(query: DnsQuery): void;
  answered(): void;
  reset(): void;
};

const queriesKept = 200_000;

export function queryLog(): QueryLog {
  let unanswered = 0;
  const log: QueryLog = {
    counts: noCounts(),
    queries: [],
    arrived(query) {
      const { counts } = log;
      if (unanswered === 0) counts.waves += 1;
      unanswered += 1;
      counts.queries += 1;
      counts[query.transport] += 1;
      const question = `${query.name.toLowerCase()} ${query.type}`;
      counts.byQuestion[question] = (counts.byQuestion[question] ?? 0) + 1;
      if (log.queries.length < queriesKept) log.queries.push(query);
    },
    answered() {
      unanswered -= 1;
    },
    reset() {
      log.counts = noCounts();
      log.queries = [];
    },
  };
  return log;
}

function noCounts(): DnsCounts {
  return { queries: 0, udp: 0, tcp: 0, waves: 0, byQuestion: {} };
}
