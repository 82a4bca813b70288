import { holds, parseCidr, type Cidr } from '../net/parse-cidr.ts';
import { parseIp, type Ip } from '../net/parse-ip.ts';
import { embeddings, specialIpv4, specialIpv6, type Embedding, type SpecialBlock } from './special-blocks.ts';

/**
 * Whether an address may be dialled. Whoever owns a domain chooses where its mail hosts point, so this is
 * what stands between a stranger and the operator's own network.
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
  // ::ffff:192.0.2.1 is no other place than 192.0.2.1: the socket layer dials the latter.
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

/** An IPv4-mapped address as the IPv4 address it is; every other one as it stands. */
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
