import { isIP } from 'node:net';
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
  return networkPrefix(isLoopback(peer) && isIP(named) !== 0 ? named : peer);
}

/** An IPv4 address that arrived through an IPv6 socket, as IPv4. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

/** The first four groups of an IPv6 address (a /64); IPv4 as it is. */
function networkPrefix(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...after].slice(0, 4).join(':');
}
