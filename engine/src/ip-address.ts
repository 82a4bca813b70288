import { isIPv4, isIPv6 } from 'node:net';

/** An IP address as a number, so that blocks are compared by shifting and not by text. */
export type Ip = { family: 4 | 6; value: bigint };

/**
 * Reads an IP address in its usual notation, and nothing else: no `127.1`, no octal, no brackets, and no
 * zone (`fe80::1%eth0`), which would choose the interface a connection leaves by.
 */
export function parseIp(text: string): Ip | undefined {
  if (isIPv4(text)) return { family: 4, value: ipv4Value(text) };
  if (isIPv6(text) && !text.includes('%')) return { family: 6, value: ipv6Value(text) };
  return undefined;
}

function ipv4Value(text: string): bigint {
  let value = 0;
  let octet = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === DOT) {
      value = 256 * value + octet;
      octet = 0;
    } else octet = 10 * octet + character - ZERO;
  }
  return BigInt(256 * value + octet);
}

const DOT = 0x2e;
const ZERO = 0x30;

/** The text has been checked: at most one `::`, and dotted decimals only at the end (RFC 4291 section 2.2). */
function ipv6Value(text: string): bigint {
  const [head = '', tail] = text.split('::');
  const high = groups(head);
  const low = tail === undefined ? [] : groups(tail);
  const zeros = Array<bigint>(8 - high.length - low.length).fill(0n);
  return [...high, ...zeros, ...low].reduce((value, group) => (value << 16n) | group, 0n);
}

function groups(text: string): bigint[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)];
    const value = ipv4Value(group);
    return [value >> 16n, value & 0xffffn];
  });
}

/** A block of IP addresses, from `value` to `last`; `value` has no bit set beyond the first `bits`. */
export type Cidr = Ip & { bits: number; last: bigint };

/**
 * Reads `10.0.0.0/8` or `::1/128`; an address alone is the block of that one address. A block with bits set after
 * its prefix (`10.1.2.3/8`) is more likely a slip than a wish, and is not read.
 */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const ip = parseIp(address);
  if (ip === undefined || rest.length > 0) return undefined;
  const width = ip.family === 4 ? 32 : 128;
  const bits = length === undefined ? width : /^\d{1,3}$/.test(length) ? Number(length) : Infinity;
  if (bits > width) return undefined;
  const block = blockAround(ip, bits);
  return block.value === ip.value ? block : undefined;
}

/** Returns the block of this size that an address is in. */
export function blockAround({ family, value }: Ip, bits: number): Cidr {
  const hostBits = BigInt((family === 4 ? 32 : 128) - bits);
  const first = (value >> hostBits) << hostBits;
  return { family, value: first, bits, last: first + (1n << hostBits) - 1n };
}

/** Whether an address, in its usual notation, is in one of the blocks. */
export function isInBlocks(blocks: readonly Cidr[], address: string): boolean {
  const ip = blocks.length === 0 ? undefined : parseIp(address);
  return ip !== undefined && blocks.some((block) => holds(block, ip));
}

/** Whether every address of one block is in another. */
export function isWithinBlock(inner: Cidr, outer: Cidr): boolean {
  return inner.bits >= outer.bits && holds(outer, inner);
}

export function holds({ family, value, last }: Cidr, ip: Ip): boolean {
  return family === ip.family && value <= ip.value && ip.value <= last;
}

/** How many bits of an address name its network: a multiple of 8 for IPv4, of 16 for IPv6. */
export type NetworkBits = { ipv4: number; ipv6: number };

/** The usual network of one operator of mail hosts: a /24 of IPv4, a /48 of IPv6. */
const hostNetwork: NetworkBits = { ipv4: 24, ipv6: 48 };

/** Returns the network an address is counted under, as text (`192.0.2.0/24`); any other text is returned as it is. */
export function networkOf(address: string, bits: NetworkBits = hostNetwork): string {
  if (isIPv4(address)) return ipv4Network(address, bits.ipv4);
  const ip = parseIp(address);
  return ip === undefined ? address : ipv6Network(ip.value, bits.ipv6);
}

function ipv4Network(address: string, bits: number): string {
  let end = 0;
  for (let octet = 0; 8 * octet < bits && end >= 0; octet += 1) end = address.indexOf('.', end + 1);
  if (end < 0) return `${address}/${bits}`;
  return `${address.slice(0, end)}${zeroOctets[bits / 8] ?? ''}/${bits}`;
}

/** The zeros that follow 0, 1, 2 or 3 octets of an address. */
const zeroOctets = ['0.0.0.0', '.0.0.0', '.0.0', '.0'];

function ipv6Network(value: bigint, bits: number): string {
  const groups = Array.from({ length: bits / 16 }, (_, at) =>
    ((value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16),
  );
  return `${groups.join(':')}::/${bits}`;
}

/**
 * Blocks that mean "this very machine" or "no address" on every network: none is an address for others to dial.
 * Private blocks (RFC 1918, RFC 6598, RFC 4193) are not among them: a company's own resolver may give one for a mail
 * host that has a public address elsewhere.
 */
const neverPublicIpv4 = /^(?:0|127)\./;
const neverPublicIpv6 = [
  '::/128',
  '::1/128',
  // The same, mapped into IPv6 (RFC 4291 section 2.5.5.2).
  '::ffff:0.0.0.0/104',
  '::ffff:127.0.0.0/104',
].flatMap((block) => parseCidr(block) ?? []);

/** Returns a function that tells whether no mail host can be at an IP address, unless the operator opened it. */
export function createLeadsNowhere(allow: readonly Cidr[]): (address: string) => boolean {
  return (address) => {
    const isIpv4 = isIPv4(address);
    if (isIpv4 && !neverPublicIpv4.test(address)) return false;
    const ip = parseIp(address);
    if (ip === undefined) return false;
    return (
      (isIpv4 || neverPublicIpv6.some((block) => holds(block, ip))) &&
      !allow.some((block) => holds(block, ip) || holds(block, unmapped(ip)))
    );
  };
}

/** Returns an IPv4-mapped address as its IPv4 address; every other one as it is. */
function unmapped(ip: NonNullable<ReturnType<typeof parseIp>>): typeof ip {
  return ip.family === 6 && ip.value >> 32n === 0xffffn ? { family: 4, value: ip.value & 0xffff_ffffn } : ip;
}
