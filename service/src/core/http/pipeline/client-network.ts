import { isIP, type Socket } from 'node:net';
import { isInBlocks, networkOf, type Cidr } from '@mailproof/engine';
import type { FastifyRequest } from 'fastify';

/**
 * The address of the client. Only proxies that the operator trusts may name the client they forward for: a client that
 * could name its own address would never be slowed down, and could use any key that is bound to addresses.
 *
 * Each proxy adds the address it was called from, so the list is read from its end, for as long as those who wrote it
 * are trusted. `X-Forwarded-For` and `Forwarded` (RFC 7239) say the same; where they do not, one of them came from the
 * client and was passed on, and neither is believed.
 */
export function createClientAddress(
  trusted: readonly Cidr[],
  /** Told of every peer that names a client without being trusted. */
  noticeUntrusted: (peer: string) => void = () => undefined,
): (request: ForwardedRequest) => string {
  const isTrusted = (address: string): boolean => isInBlocks(trusted, address);
  return ({ raw, headers }) => {
    const peer = plainAddress(raw.socket.remoteAddress ?? '');
    const { 'x-forwarded-for': usual, forwarded } = headers;
    if (usual === undefined && forwarded === undefined) return peer;
    if (!isTrusted(peer)) {
      noticeUntrusted(peer);
      return peer;
    }
    const named = [
      ...(usual === undefined ? [] : [textOf(usual).split(',')]),
      ...(forwarded === undefined ? [] : [forwardedFor(textOf(forwarded))]),
    ].map((addresses) => firstUntrusted([...addresses, peer], isTrusted));
    const [client = peer, other = client] = named;
    return client === other ? client : peer;
  };
}

type ForwardedRequest = Pick<FastifyRequest, 'raw' | 'headers'>;

/** Who is at the other end of a connection: the client, or the proxy in front of us. */
export function peerNetwork({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  return networkOfClient(plainAddress(remoteAddress));
}

/** From the end: the first that no trusted proxy is. Beyond something that is no address, nobody knows. */
function firstUntrusted(nodes: readonly string[], isTrusted: (address: string) => boolean): string {
  let last = '';
  for (const node of nodes.toReversed()) {
    const address = addressIn(node);
    if (address === undefined) return last;
    last = address;
    if (!isTrusted(address)) return last;
  }
  return last;
}

/** `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`, quoted or not; nothing for `unknown` and names. */
function addressIn(node: string): string | undefined {
  const text = node.trim().replace(/^"(.*)"$/, '$1');
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = plainAddress(bare);
  return isIP(address) === 0 ? undefined : address;
}

/** What each element of a `Forwarded` field names with `for`; an element without it names nobody. */
function forwardedFor(field: string): string[] {
  return splitOutsideQuotes(field, ',').map((element) => {
    const pair = splitOutsideQuotes(element, ';').find((one) => /^\s*for=/i.test(one));
    return pair?.slice(pair.indexOf('=') + 1) ?? '';
  });
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let part = '';
  let quoted = false;
  for (const character of text) {
    if (character === '"') quoted = !quoted;
    if (character === separator && !quoted) {
      parts.push(part);
      part = '';
    } else part += character;
  }
  return [...parts, part];
}

function textOf(field: string | string[]): string {
  return Array.isArray(field) ? field.join(',') : field;
}

/**
 * The client whose requests and wrong attempts are counted together: its address, or its network where that is IPv6,
 * because one client has many IPv6 addresses.
 */
export function networkOfClient(address: string): string {
  // Nothing but an IPv6 address has a colon, and to look for one costs every request less than to read the address.
  return address.includes(':') && isIP(address) === 6 ? networkOf(address, { ipv4: 32, ipv6: 64 }) : address;
}

/** Without the zone of a link-local address; an IPv4 address that arrived through an IPv6 socket as IPv4. */
function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  return address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
}
