import { parseIp, type Ip } from './parse-ip.ts';

/** A block of IP addresses; `value` has no bit set beyond the first `bits`. */
export type Cidr = Ip & { bits: number };

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
  const hostBits = BigInt(width - bits);
  if ((ip.value >> hostBits) << hostBits !== ip.value) return undefined;
  return { ...ip, bits };
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

export function holds(block: Cidr, ip: Ip): boolean {
  if (block.family !== ip.family) return false;
  const hostBits = BigInt((ip.family === 4 ? 32 : 128) - block.bits);
  return block.value >> hostBits === ip.value >> hostBits;
}
