import { holds, parseCidr, parseIp, type Cidr, type Ip } from '../ip-address.ts';

/**
 * The blocks in which no mail host of the public internet lives, each with the document that says so. They are the
 * IANA special-purpose registries in full, and the multicast, deprecated and never assigned space. Blocks that the
 * registries call globally reachable are included: they hold anycast services, none of which is mail.
 *
 * If blocks nest, the narrowest decides.
 */
type SpecialBlock = { block: string; name: string; source: string };

/** https://www.iana.org/assignments/iana-ipv4-special-registry, and multicast. */
export const specialIpv4: readonly SpecialBlock[] = [
  { block: '0.0.0.0/8', name: 'this network', source: 'RFC 791' },
  { block: '0.0.0.0/32', name: 'this host on this network', source: 'RFC 1122' },
  { block: '10.0.0.0/8', name: 'private use', source: 'RFC 1918' },
  { block: '100.64.0.0/10', name: 'shared address space', source: 'RFC 6598' },
  { block: '127.0.0.0/8', name: 'loopback', source: 'RFC 1122' },
  { block: '169.254.0.0/16', name: 'link local', source: 'RFC 3927' },
  { block: '172.16.0.0/12', name: 'private use', source: 'RFC 1918' },
  { block: '192.0.0.0/24', name: 'IETF protocol assignments', source: 'RFC 6890' },
  { block: '192.0.0.0/29', name: 'IPv4 service continuity', source: 'RFC 7335' },
  { block: '192.0.0.8/32', name: 'IPv4 dummy address', source: 'RFC 7600' },
  { block: '192.0.0.9/32', name: 'Port Control Protocol anycast', source: 'RFC 7723' },
  { block: '192.0.0.10/32', name: 'TURN anycast', source: 'RFC 8155' },
  { block: '192.0.0.170/32', name: 'NAT64/DNS64 discovery', source: 'RFC 8880' },
  { block: '192.0.0.171/32', name: 'NAT64/DNS64 discovery', source: 'RFC 8880' },
  { block: '192.0.2.0/24', name: 'documentation', source: 'RFC 5737' },
  { block: '192.31.196.0/24', name: 'AS112', source: 'RFC 7535' },
  { block: '192.52.193.0/24', name: 'automatic multicast tunneling', source: 'RFC 7450' },
  { block: '192.88.99.0/24', name: '6to4 relay anycast', source: 'RFC 7526' },
  { block: '192.88.99.2/32', name: '6a44 relay anycast', source: 'RFC 6751' },
  { block: '192.168.0.0/16', name: 'private use', source: 'RFC 1918' },
  { block: '192.175.48.0/24', name: 'direct delegation AS112', source: 'RFC 7534' },
  { block: '198.18.0.0/15', name: 'benchmarking', source: 'RFC 2544' },
  { block: '198.51.100.0/24', name: 'documentation', source: 'RFC 5737' },
  { block: '203.0.113.0/24', name: 'documentation', source: 'RFC 5737' },
  { block: '224.0.0.0/4', name: 'multicast', source: 'RFC 5771' },
  { block: '240.0.0.0/4', name: 'reserved', source: 'RFC 1112' },
  { block: '255.255.255.255/32', name: 'limited broadcast', source: 'RFC 8190' },
];

/**
 * https://www.iana.org/assignments/iana-ipv6-special-registry, and the space outside 2000::/3. The forms that carry
 * an IPv4 address are `embeddings` below: the carried address is judged.
 */
export const specialIpv6: readonly SpecialBlock[] = [
  { block: '::/128', name: 'unspecified', source: 'RFC 4291' },
  { block: '::1/128', name: 'loopback', source: 'RFC 4291' },
  { block: '64:ff9b:1::/48', name: 'local IPv4/IPv6 translation', source: 'RFC 8215' },
  { block: '100::/64', name: 'discard only', source: 'RFC 6666' },
  { block: '100:0:0:1::/64', name: 'dummy prefix', source: 'RFC 9780' },
  { block: '2001::/23', name: 'IETF protocol assignments', source: 'RFC 2928' },
  { block: '2001:1::1/128', name: 'Port Control Protocol anycast', source: 'RFC 7723' },
  { block: '2001:1::2/128', name: 'TURN anycast', source: 'RFC 8155' },
  { block: '2001:1::3/128', name: 'DNS-SD registration anycast', source: 'RFC 9665' },
  { block: '2001:2::/48', name: 'benchmarking', source: 'RFC 5180' },
  { block: '2001:3::/32', name: 'automatic multicast tunneling', source: 'RFC 7450' },
  { block: '2001:4:112::/48', name: 'AS112', source: 'RFC 7535' },
  { block: '2001:10::/28', name: 'deprecated ORCHID', source: 'RFC 4843' },
  { block: '2001:20::/28', name: 'ORCHIDv2', source: 'RFC 7343' },
  { block: '2001:30::/28', name: 'drone remote identification', source: 'RFC 9374' },
  { block: '2001:db8::/32', name: 'documentation', source: 'RFC 3849' },
  { block: '2620:4f:8000::/48', name: 'direct delegation AS112', source: 'RFC 7534' },
  { block: '3fff::/20', name: 'documentation', source: 'RFC 9637' },
  { block: '5f00::/16', name: 'segment routing', source: 'RFC 9602' },
  { block: 'fc00::/7', name: 'unique local', source: 'RFC 4193' },
  { block: 'fe80::/10', name: 'link local', source: 'RFC 4291' },
  { block: 'fec0::/10', name: 'deprecated site local', source: 'RFC 3879' },
  { block: 'ff00::/8', name: 'multicast', source: 'RFC 4291' },
];

/** A form of IPv6 address that stands for, or is carried to, IPv4 addresses written inside it. */
type Embedding = SpecialBlock & {
  /** The IPv4 addresses inside: a packet may end up at each of them. */
  read(value: bigint): bigint[];
};

const lowest32 = (value: bigint) => value & 0xffff_ffffn;

export const embeddings: readonly Embedding[] = [
  { block: '::/96', name: 'IPv4-compatible', source: 'RFC 4291', read: (value) => [lowest32(value)] },
  { block: '::ffff:0:0/96', name: 'IPv4-mapped', source: 'RFC 4291', read: (value) => [lowest32(value)] },
  { block: '64:ff9b::/96', name: 'NAT64', source: 'RFC 6052', read: (value) => [lowest32(value)] },
  { block: '2002::/16', name: '6to4', source: 'RFC 3056', read: (value) => [lowest32(value >> 80n)] },
  {
    block: '2001::/32',
    name: 'Teredo',
    source: 'RFC 4380',
    // The server as it is, and the client with every bit inverted (section 4).
    read: (value) => [lowest32(value >> 64n), lowest32(~value)],
  },
];

/**
 * Whether an address may be dialled. The owner of a domain chooses where its mail hosts point. So this check stands
 * between a stranger and the operator's own network.
 */
type Judgement = { kind: 'public' } | { kind: 'allowed' } | { kind: 'forbidden'; why: string };

type JudgeParts = {
  /** Blocks that the operator opened. They outrank everything else, this machine's addresses included. */
  allow: readonly Cidr[];
  ownAddresses: readonly string[];
};

export function judgeAddress(address: string, parts: JudgeParts): Judgement {
  const ip = parseIp(address);
  if (ip === undefined) return { kind: 'forbidden', why: 'not an IP address' };
  // ::ffff:192.0.2.1 is the same place as 192.0.2.1: the socket layer dials the latter.
  const place = unmap(ip);
  if (parts.allow.some((block) => holds(block, ip) || holds(block, place))) return { kind: 'allowed' };
  const own = parts.ownAddresses.map(parseIp).filter((known) => known !== undefined);
  const why = whyForbidden(place, own.map(unmap));
  return why === undefined ? { kind: 'public' } : { kind: 'forbidden', why };
}

function whyForbidden(ip: Ip, own: Ip[]): string | undefined {
  if (own.some((known) => known.family === ip.family && known.value === ip.value)) {
    return 'an address of this machine';
  }
  // The rows are in order, the narrowest first, so that ::1 is loopback before it is IPv4-compatible.
  const row = ROWS.find(({ cidr }) => holds(cidr, ip));
  if (row?.kind === 'embedding') return whyEmbeddedForbidden(row.special, ip, own);
  if (row !== undefined) return `${row.special.name} (${row.special.source})`;
  // RFC 4291 section 2.4: of IPv6, only 2000::/3 is handed out as global unicast.
  return ip.family === 6 && ip.value >> 125n !== 1n ? 'not global unicast (RFC 4291)' : undefined;
}

function whyEmbeddedForbidden(embedding: Embedding, ip: Ip, own: Ip[]): string | undefined {
  for (const value of embedding.read(ip.value)) {
    const why = whyForbidden({ family: 4, value }, own);
    if (why !== undefined) return `${embedding.name} (${embedding.source}) of ${why}`;
  }
  return undefined;
}

/** Returns an IPv4-mapped address as its IPv4 address; every other one as it is. */
function unmap(ip: Ip): Ip {
  return ip.family === 6 && ip.value >> 32n === 0xffffn ? { family: 4, value: ip.value & 0xffff_ffffn } : ip;
}

type JudgedBlock = { cidr: Cidr } & (
  { kind: 'special'; special: SpecialBlock } | { kind: 'embedding'; special: Embedding }
);

const ROWS: readonly JudgedBlock[] = [
  ...[...specialIpv4, ...specialIpv6].map((special): JudgedBlock => ({
    kind: 'special',
    special,
    cidr: blockOf(special),
  })),
  ...embeddings.map((special): JudgedBlock => ({ kind: 'embedding', special, cidr: blockOf(special) })),
].sort((one, other) => other.cidr.bits - one.cidr.bits);

function blockOf({ block }: SpecialBlock): Cidr {
  const cidr = parseCidr(block);
  if (cidr === undefined) throw new Error(`special block ${block} is malformed`);
  return cidr;
}
