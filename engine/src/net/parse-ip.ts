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
