/**
 * One UDP socket connected to one DNS server, and the queries that wait on it, by message id.
 *
 * Connected sockets do two things for us: the kernel drops datagrams from any other address or
 * port, and "port unreachable" comes back as an error, so that a dead server costs no wait.
 */
import { createSocket } from 'node:dgram';
import type { RemoteInfo } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { HEADER_BYTES } from './numbers.ts';
import { encodeQuery } from './encode-query.ts';
import type { DnsQuestion, DnsServer } from './question.ts';

export type UdpQuery = {
  readonly server: DnsServer;
  readonly question: DnsQuestion;
  readonly withEdns: boolean;
  /** What it waits with, drawn by the socket that sends it. */
  id: number;
  /** A datagram from the server with the query's id. */
  heard(message: Buffer): void;
  /** The server's host says that nobody listens, or there is no way to it, or the pool is closed. */
  unreachable(): void;
};

/** A whole number from 0 up to, not including, `below`. */
export type Random = (below: number) => number;

export type UdpSocket = {
  send(query: UdpQuery): void;
  /** Ends the wait for an answer. */
  forget(query: UdpQuery): void;
  idle(): boolean;
  close(): void;
};

/** `onBroken` is called once, when the socket has failed: it is closed and its queries have been told. */
export function openUdpSocket(server: DnsServer, parts: { random: Random; onBroken: () => void }): UdpSocket {
  const waiting = new Map<number, UdpQuery>();
  // Messages are held back until the socket is connected.
  let heldBack: Buffer[] | undefined = [];
  /** The server as the socket names it, once it is connected. */
  let peer: { address: string; port: number } | undefined;
  let open = true;
  const socket = createSocket(isIPv6(server.ip) ? 'udp6' : 'udp4');
  // What keeps the process alive is the timer of a lookup that waits, never a socket.
  socket.unref();
  socket.on('message', deliver);
  socket.on('error', breakOff);
  socket.connect(server.port, server.ip, connected);

  /** Node gives an error where no way leads to the server, which its types leave out. */
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
