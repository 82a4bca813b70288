import { isIP } from 'node:net';
import { networkOf } from '@mailproof/engine';
import type { FastifyRequest } from 'fastify';

/**
 * The client whose wrong attempts are counted together: its address, or its network where that is IPv6, because one
 * client has many IPv6 addresses. Only a proxy on this machine is trusted to name the client it forwards for: a client
 * that could name its own address would never be slowed down.
 */
export function clientNetwork({ raw, headers }: FastifyRequest): string {
  const peer = plainAddress(raw.socket.remoteAddress ?? '');
  const forwarded = headers['x-forwarded-for'];
  const lines = Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '');
  const named = plainAddress(lines.split(',').at(-1)?.trim() ?? '');
  const client = isLoopback(peer) && isIP(named) !== 0 ? named : peer;
  return isIP(client) === 6 ? networkOf(client, { ipv4: 32, ipv6: 64 }) : client;
}

/** Without the zone of a link-local address; an IPv4 address that arrived through an IPv6 socket as IPv4. */
function plainAddress(address: string): string {
  return address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
