import { parseIp } from './parse-ip.ts';

/** How many bits of an address name its network: a multiple of 8 for IPv4, of 16 for IPv6. */
export type NetworkBits = { ipv4: number; ipv6: number };

/** What one operator of mail hosts usually shares: a /24 of IPv4, a /48 of IPv6. */
const hostNetwork: NetworkBits = { ipv4: 24, ipv6: 48 };

/** The network an address is counted under, as text (`192.0.2.0/24`); what is no IP address is returned as it is. */
export function networkOf(address: string, bits: NetworkBits = hostNetwork): string {
  const ip = parseIp(address);
  if (ip === undefined) return address;
  return ip.family === 4 ? ipv4Network(ip.value, bits.ipv4) : ipv6Network(ip.value, bits.ipv6);
}

function ipv4Network(value: bigint, bits: number): string {
  const octets = [0, 8, 16, 24].map((at) => (at < bits ? (value >> BigInt(24 - at)) & 0xffn : 0n));
  return `${octets.join('.')}/${bits}`;
}

function ipv6Network(value: bigint, bits: number): string {
  const groups = Array.from({ length: bits / 16 }, (_, at) =>
    ((value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16),
  );
  return `${groups.join(':')}::/${bits}`;
}
