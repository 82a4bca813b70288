/**
 * A bounded pool of UDP sockets for DNS queries, an equal share of them for each server.
 *
 * A forger who cannot see our queries has to guess port and id (RFC 5452 section 4): each query
 * takes a random socket and a random id, and a socket is replaced after some hundred queries or a
 * minute, whichever is first. It is replaced when it is idle, or drained while the others of its
 * server carry on, so the number of open sockets never passes the size of the pool.
 */
import type { Clock } from '../clock.ts';
import type { DnsServer } from './question.ts';
import { openUdpSocket } from './udp-socket.ts';
import type { Random, UdpSocket, UdpQuery } from './udp-socket.ts';

export type UdpPool = {
  /** Sends a query; the returned function ends the wait for its answer. */
  send(query: UdpQuery): () => void;
  counts(): { sent: number; open: number; opened: number };
  close(): void;
};

const LIFE_QUERIES = 256;
const LIFE_MS = 60_000;

type PooledSocket = { socket: UdpSocket; queriesLeft: number; until: number };

/** One place in the pool: no socket yet, one in use, or one that takes no more queries and drains. */
type SocketSlot = { current: PooledSocket | undefined; draining: boolean };

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
    const socket = openUdpSocket(server, { random, onBroken: () => empty(slot, opened) });
    // The life is drawn by lot, so that the sockets do not all wear out at once.
    const queriesLeft = LIFE_QUERIES + random(LIFE_QUERIES);
    const opened: PooledSocket = { socket, queriesLeft, until: clock.now() + LIFE_MS };
    counts.open += 1;
    counts.opened += 1;
    slot.current = opened;
    return opened;
  }

  /** Takes a socket out of its slot; one that is gone already stays gone. */
  function empty(slot: SocketSlot, gone: PooledSocket): void {
    if (slot.current !== gone) return;
    slot.current = undefined;
    slot.draining = false;
    counts.open -= 1;
    gone.socket.close();
  }

  /** The slot for the next query: any that is not draining. A worn-out socket gives way first. */
  function pick(slots: SocketSlot[]): SocketSlot {
    const usable = slots.filter((slot) => !slot.draining);
    const slot = oneOf(usable, random);
    const { current } = slot;
    if (current === undefined || (current.queriesLeft > 0 && clock.now() < current.until)) return slot;
    if (current.socket.idle()) {
      empty(slot, current);
      return slot;
    }
    // One at a time drains, and only where another can take its queries.
    if (usable.length < slots.length || usable.length === 1) return slot;
    slot.draining = true;
    return oneOf(
      usable.filter((other) => other !== slot),
      random,
    );
  }

  function send(query: UdpQuery): () => void {
    const slots = slotsOf.get(query.server);
    if (slots === undefined) throw new Error('a query for a server that is not in the pool');
    const slot = pick(slots);
    const current = slot.current ?? fill(slot, query.server);
    current.queriesLeft -= 1;
    counts.sent += 1;
    const stop = current.socket.send(query);
    return () => {
      stop();
      if (slot.draining && current.socket.idle()) empty(slot, current);
    };
  }

  function close(): void {
    for (const slot of [...slotsOf.values()].flat()) {
      if (slot.current !== undefined) empty(slot, slot.current);
    }
  }

  return { send, counts: () => ({ ...counts }), close };
}

function emptySlots(length: number): SocketSlot[] {
  return Array.from({ length }, () => ({ current: undefined, draining: false }));
}

function oneOf(slots: SocketSlot[], random: Random): SocketSlot {
  const slot = slots[random(slots.length)];
  if (slot === undefined) throw new Error('a DNS server without a usable socket');
  return slot;
}
