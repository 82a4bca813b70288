/** The name under which an address points back: RFC 1035 section 3.5 for IPv4, RFC 3596 section 2.5 for IPv6. */
import { parseIp } from '../net/parse-ip.ts';

export function reverseName(address: string): string {
  // The zone of a link-local address is no part of it.
  const ip = parseIp(address.replace(/%.*$/, ''));
  if (ip === undefined) throw new TypeError('only an IP address has a reverse name');
  if (ip.family === 4) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const digits = ip.value.toString(16).padStart(32, '0');
  return `${Array.from(digits).reverse().join('.')}.ip6.arpa`;
}
