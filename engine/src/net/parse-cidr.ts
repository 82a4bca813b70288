import { parseIp, type Ip } from './parse-ip.ts';

/** A block of IP addresses, from `value` to `last`; `value` has no bit set beyond the first `bits`. */
export type Cidr = Ip & { bits: number; last: bigint };

/**
 * Reads `10.0.0.0/8` or `::1/128`; an address alone is the block of that one address. A block with bits
 * set after its prefix (`10.1.2.3/8`) is more likely a slip than a wish, and is not read.
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
