import { isIPv4 } from 'node:net';

/** The network an address is counted under: a /24 of IPv4, a /48 of IPv6, as text. */
export function networkOf(address: string): string {
  if (isIPv4(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  const groups = [...left, ...gap, ...right]
    .slice(0, 3)
    .map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(':')}::/48`;
}
