/**
 * A bounded pool of UDP sockets for DNS queries, an equal share of them for each server.
 *
 * A forger who cannot see our queries has to guess port and id (RFC 5452 section 4). So each query takes a random
 * socket and a random id, and a socket is replaced after some hundred queries or a minute, whichever is first. It is
 * replaced when it is idle, or drained while the others of its server carry on, so the number of open sockets never
 * passes the size of the pool.
 */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Clock } from '../clock.ts';
import type { DnsServer, DnsQuestion } from './lookup.ts';
import { HEADER_BYTES, encodeQuery } from './message.ts';

export type UdpPool = {
  send(query: PooledQuery): void;
  /** Ends the wait for an answer, if there is one. */
  stop(query: PooledQuery): void;
  counts(): { sent: number; open: number; opened: number };
  close(): void;
};

const LIFE_QUERIES = 256;
const LIFE_MS = 60_000;

/** A query, and the socket that it waits on. */
export type PooledQuery = UdpQuery & { sentOver: PooledSocket | undefined };

export type PooledSocket = { socket: UdpSocket; slot: SocketSlot; queriesLeft: number; until: number };

/** One place in the pool, with a socket or none yet. */
type SocketSlot = { ofServer: ServerSlots; current: PooledSocket | undefined };

/** The places of one server. One socket at a time takes no more queries and drains. */
type ServerSlots = { slots: SocketSlot[]; draining: SocketSlot | undefined };

export function createUdpPool(parts: {
  servers: readonly DnsServer[];
  sockets: number;
  clock: Clock;
  random: Random;
}): UdpPool {
  const { clock, random } = parts;
  const counts = { sent: 0, open: 0, opened: 0 };
  const share = Math.max(1, Math.floor(parts.sockets / parts.servers.length));
  const slotsOf = new Map(parts.servers.map((server) => [server, emptySlots(share)]));

  function fill(slot: SocketSlot, server: DnsServer): PooledSocket {
    const socket = openUdpSocket(server, { random, onBroken: () => empty(opened) });
    // The life is drawn by lot, so that the sockets do not all wear out at once.
    const queriesLeft = LIFE_QUERIES + random(LIFE_QUERIES);
    const opened: PooledSocket = { socket, slot, queriesLeft, until: clock.now() + LIFE_MS };
    counts.open += 1;
    counts.opened += 1;
    slot.current = opened;
    return opened;
  }

  /** Takes a socket out of its slot, if it is still there. */
  function empty(gone: PooledSocket): void {
    const { slot } = gone;
    if (slot.current !== gone) return;
    slot.current = undefined;
    if (slot.ofServer.draining === slot) slot.ofServer.draining = undefined;
    counts.open -= 1;
    gone.socket.close();
  }

  /** Returns the slot for the next query: any that is not draining. A worn-out socket gives way first. */
  function pick(ofServer: ServerSlots): SocketSlot {
    const slot = anyOf(ofServer, random);
    const { current } = slot;
    if (current === undefined || (current.queriesLeft > 0 && clock.now() < current.until)) return slot;
    if (current.socket.idle()) {
      empty(current);
      return slot;
    }
    // One at a time drains, and only if another can take its queries.
    if (ofServer.draining !== undefined || ofServer.slots.length === 1) return slot;
    ofServer.draining = slot;
    return anyOf(ofServer, random);
  }

  function send(query: PooledQuery): void {
    const ofServer = slotsOf.get(query.server);
    if (ofServer === undefined) throw new Error('a query for a server that is not in the pool');
    const slot = pick(ofServer);
    const current = slot.current ?? fill(slot, query.server);
    current.queriesLeft -= 1;
    counts.sent += 1;
    query.sentOver = current;
    current.socket.send(query);
  }

  function stop(query: PooledQuery): void {
    const { sentOver } = query;
    if (sentOver === undefined) return;
    query.sentOver = undefined;
    const { socket, slot } = sentOver;
    socket.forget(query);
    if (slot.ofServer.draining === slot && socket.idle()) empty(sentOver);
  }

  function close(): void {
    for (const ofServer of slotsOf.values())
      for (const slot of ofServer.slots) if (slot.current !== undefined) empty(slot.current);
  }

  return { send, stop, counts: () => ({ ...counts }), close };
}

function emptySlots(length: number): ServerSlots {
  const ofServer: ServerSlots = { slots: [], draining: undefined };
  for (let count = 0; count < length; count += 1) ofServer.slots.push({ ofServer, current: undefined });
  return ofServer;
}

/** Draws a slot that does not drain, each as likely as the others. */
function anyOf({ slots, draining }: ServerSlots, random: Random): SocketSlot {
  const drawn = slots[random(draining === undefined ? slots.length : slots.length - 1)];
  // The last one is not drawn while another drains; it takes the place of that one.
  const slot = drawn === draining ? slots.at(-1) : drawn;
  if (slot === undefined) throw new Error('a DNS server without a usable socket');
  return slot;
}

/**
 * One UDP socket connected to one DNS server, and the queries that wait on it, by message id.
 *
 * A connected socket has two merits. The kernel drops datagrams from any other address or port. And "port
 * unreachable" comes back as an error, so a dead server costs no wait.
 */

type UdpQuery = {
  readonly server: DnsServer;
  readonly question: DnsQuestion;
  readonly withEdns: boolean;
  /** The message id, drawn by the socket that sends the query. */
  id: number;
  /** A datagram from the server with the query's id. */
  heard(message: Buffer): void;
  /** Called if no process listens at the server, there is no way to it, or the pool is closed. */
  unreachable(): void;
};

/** A whole number from 0 up to, not including, `below`. */
export type Random = (below: number) => number;

type UdpSocket = {
  send(query: UdpQuery): void;
  /** Ends the wait for an answer. */
  forget(query: UdpQuery): void;
  idle(): boolean;
  close(): void;
};

/** `onBroken` is called once, when the socket has failed: it is closed and its queries have been told. */
function openUdpSocket(server: DnsServer, parts: { random: Random; onBroken: () => void }): UdpSocket {
  const waiting = new Map<number, UdpQuery>();
  // Messages are held back until the socket is connected.
  let heldBack: Buffer[] | undefined = [];
  /** The server as the socket names it, once it is connected. */
  let peer: { address: string; port: number } | undefined;
  let open = true;
  const socket = createSocket(isIPv6(server.ip) ? 'udp6' : 'udp4');
  // The timer of a waiting lookup keeps the process alive, never a socket.
  socket.unref();
  socket.on('message', deliver);
  socket.on('error', breakOff);
  socket.connect(server.port, server.ip, connected);

  /** Node gives an error if no way leads to the server, which its types leave out. */
  function connected(error?: Error): void {
    if (error !== undefined) {
      breakOff();
      return;
    }
    const messages = heldBack ?? [];
    heldBack = undefined;
    if (open) peer = socket.remoteAddress();
    messages.forEach(transmit);
  }

  function deliver(message: Buffer, from: RemoteInfo): void {
    // The kernel filters by sender once the socket is connected; a datagram may have slipped in before.
    if (!open || peer?.port !== from.port || peer.address !== from.address || message.length < HEADER_BYTES)
      return;
    waiting.get(message.readUInt16BE(0))?.heard(message);
  }

  function transmit(message: Buffer): void {
    if (!open) return;
    socket.send(message, sent);
  }

  function sent(error: Error | null): void {
    if (error !== null) breakOff();
  }

  function breakOff(): void {
    if (!open) return;
    close();
    parts.onBroken();
  }

  function close(): void {
    if (!open) return;
    open = false;
    socket.close();
    const cutOff = [...waiting.values()];
    waiting.clear();
    for (const query of cutOff) query.unreachable();
  }

  return {
    send(query) {
      query.id = freeId(waiting, parts.random);
      const message = encodeQuery(query);
      waiting.set(query.id, query);
      if (heldBack === undefined) transmit(message);
      else heldBack.push(message);
    },
    forget(query) {
      if (waiting.get(query.id) === query) waiting.delete(query.id);
    },
    idle: () => waiting.size === 0,
    close,
  };
}

/** A random id that no query on this socket waits with. */
function freeId(waiting: Map<number, UdpQuery>, random: Random): number {
  if (waiting.size >= 0x10000) throw new Error('every message id of a DNS socket is in use');
  let id = random(0x10000);
  while (waiting.has(id)) id = (id + 1) & 0xffff;
  return id;
}
