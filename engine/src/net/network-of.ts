import { isIPv4 } from 'node:net';
import { parseIp } from './parse-ip.ts';

/** How many bits of an address name its network: a multiple of 8 for IPv4, of 16 for IPv6. */
export type NetworkBits = { ipv4: number; ipv6: number };

/** What one operator of mail hosts usually shares: a /24 of IPv4, a /48 of IPv6. */
const hostNetwork: NetworkBits = { ipv4: 24, ipv6: 48 };

/** The network an address is counted under, as text (`192.0.2.0/24`); what is no IP address is returned as it is. */
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

/** What follows so many octets of an address. */
const zeroOctets = ['0.0.0.0', '.0.0.0', '.0.0', '.0'];

function ipv6Network(value: bigint, bits: number): string {
  const groups = Array.from({ length: bits / 16 }, (_, at) =>
    ((value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16),
  );
  return `${groups.join(':')}::/${bits}`;
}
