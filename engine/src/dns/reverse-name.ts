/** The name under which an address points back: RFC 1035 section 3.5 for IPv4, RFC 3596 section 2.5 for IPv6. */
import { isIPv4, isIPv6 } from 'node:net';

export function reverseName(ip: string): string {
  if (isIPv4(ip)) return `${ip.split('.').reverse().join('.')}.in-addr.arpa`;
  if (isIPv6(ip)) return `${Array.from(hexDigits(ip)).reverse().join('.')}.ip6.arpa`;
  throw new TypeError('only an IP address has a reverse name');
}

/** The 32 digits of an IPv6 address, leading zeros and the run that `::` stands for written out. */
function hexDigits(ip: string): string {
  const [address = ''] = ip.split('%');
  const [head = '', tail] = address.split('::');
  const before = groups(head);
  const after = groups(tail ?? '');
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array<string>(missing).fill('0'), ...after]
    .map((group) => group.padStart(4, '0'))
    .join('');
}

/** The groups of a part without `::`; an IPv4 address at its end counts as two (RFC 4291 section 2.2). */
function groups(part: string): string[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [group.toLowerCase()];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
  });
}
