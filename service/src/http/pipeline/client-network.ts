import { isIP, type Socket } from 'node:net';
import { networkOf } from '@mailproof/engine';
import type { FastifyRequest } from 'fastify';

/**
 * The client whose requests and wrong attempts are counted together: its address, or its network where that is IPv6,
 * because one client has many IPv6 addresses. Only a proxy on this machine is trusted to name the client it forwards
 * for: a client that could name its own address would never be slowed down.
 */
export function clientNetwork({ raw, headers }: FastifyRequest): string {
  const forwarded = headers['x-forwarded-for'];
  if (forwarded === undefined) return peerNetwork(raw.socket);
  const peer = plainAddress(raw.socket.remoteAddress ?? '');
  const lines = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
  const named = plainAddress(lines.split(',').at(-1)?.trim() ?? '');
  return networkOfClient(isLoopback(peer) && isIP(named) !== 0 ? named : peer);
}

/** Who is at the other end of a connection: the client, or the proxy in front of us. */
export function peerNetwork({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  return networkOfClient(plainAddress(remoteAddress));
}

function networkOfClient(address: string): string {
  return isIP(address) === 6 ? networkOf(address, { ipv4: 32, ipv6: 64 }) : address;
}

/** Without the zone of a link-local address; an IPv4 address that arrived through an IPv6 socket as IPv4. */
function plainAddress(address: string): string {
  return address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
