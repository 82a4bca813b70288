import { isIPv4 } from 'node:net';
import { holds, parseCidr, type Cidr } from './parse-cidr.ts';
import { parseIp } from './parse-ip.ts';

/**
 * Blocks that mean "this very machine" or "no address" on whichever network they are read: none is anybody's address for
 * others to dial. Private blocks (RFC 1918, RFC 6598, RFC 4193) are not among them: a company's own resolver may give
 * one for a mail host that has a public address elsewhere.
 */
const neverPublicIpv4 = /^(?:0|127)\./;
const neverPublicIpv6 = [
  '::/128',
  '::1/128',
  // The same, mapped into IPv6 (RFC 4291 section 2.5.5.2).
  '::ffff:0.0.0.0/104',
  '::ffff:127.0.0.0/104',
].flatMap((block) => parseCidr(block) ?? []);

/** Tells of an IP address whether no mail host can be there, unless the operator opened it. */
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

/** An IPv4-mapped address as the IPv4 address it is; every other one as it stands. */
function unmapped(ip: NonNullable<ReturnType<typeof parseIp>>): typeof ip {
  return ip.family === 6 && ip.value >> 32n === 0xffffn ? { family: 4, value: ip.value & 0xffff_ffffn } : ip;
}
