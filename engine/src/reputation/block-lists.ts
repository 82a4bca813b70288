import type { Lookup } from '../dns/lookup.ts';
import { reverseName } from '../dns/create-resolver.ts';
import { parseIp } from '../ip-address.ts';
import type { Patience } from '../patience.ts';
import { canonicalHost } from '../syntax/canonical-host.ts';
import type { CanonicalHost } from '../syntax/address.ts';

/**
 * DNS block lists (RFC 5782): whether an address of ours is on one.
 *
 * An address is looked up by its reversed name below the zone of the list. A list is believed only after it has shown
 * that it tells listed addresses from others: 127.0.0.2 must be listed and 127.0.0.1 must not (section 5). A zone that
 * was given up answers for no address, or for every one, and neither may decide anything.
 *
 * Limitations: a listing of a whole network is found as far as the list shows it for our address. Only lists that the
 * operator has named are looked up, because the owner of an unknown zone could list anybody.
 */
export type Listing =
  | { kind: 'listed'; codes: string[] }
  | { kind: 'not_listed' }
  /** The list did not answer, refused our resolver, or answers without telling addresses apart. */
  | { kind: 'no_answer'; why: string };

export type AsksIpv4 = (name: CanonicalHost, patience: Patience) => Promise<Lookup<string>>;

type KnownList = {
  /** The end of every zone of its owner. */
  owner: string;
  /** How replies name it. */
  named: RegExp;
  /** The page that explains a listing and takes requests for its removal. */
  page: string;
};

/** Only owners that are met in replies; a zone of any other is recognised by its own name. */
const knownLists: readonly KnownList[] = [
  {
    owner: '.spamhaus.org',
    named: /spamhaus|abuseat|\b(?:sbl|xbl|pbl|cbl)\b|\[BL2[13]\]/i,
    page: 'https://check.spamhaus.org/',
  },
  {
    owner: '.spamhaus.net',
    named: /spamhaus|abuseat|\b(?:sbl|xbl|pbl|cbl)\b|\[BL2[13]\]/i,
    page: 'https://check.spamhaus.org/',
  },
  { owner: '.spamcop.net', named: /spamcop/i, page: 'https://www.spamcop.net/bl.shtml' },
  {
    owner: '.barracudacentral.org',
    named: /barracudacentral|barracuda reputation/i,
    page: 'https://www.barracudacentral.org/rbl/removal-request',
  },
  { owner: '.surriel.com', named: /\bpsbl\b|surriel/i, page: 'https://psbl.org/' },
  { owner: '.mailspike.net', named: /mailspike/i, page: 'https://mailspike.io/' },
  { owner: '.uceprotect.net', named: /uceprotect/i, page: 'https://www.uceprotect.net/en/rblcheck.php' },
];

/** Lists that many receivers refuse by, and that answer any operator's own resolver. */
export const usualBlockLists: readonly string[] = [
  'zen.spamhaus.org',
  'bl.spamcop.net',
  'b.barracudacentral.org',
];

/** Returns a list's name for display: the key of a paid zone (`KEY.zen.dq.spamhaus.net`) is the operator's secret. */
export function blockListName(zone: string): string {
  return zone.replace(/^[^.]+\.(?=[^.]+\.dq\.spamhaus\.net$)/, '');
}

/** Returns the page for removal requests; the zone's own site if nothing better is known. */
export function delistingPage(zone: string): string {
  return knownLists.find(({ owner }) => zone.endsWith(owner))?.page ?? `https://${blockListName(zone)}/`;
}

/** Returns the list of these that a reply names, if it names one. */
export function namedList(text: string, zones: readonly string[]): string | undefined {
  const words = text.toLowerCase();
  return zones.find((zone) => {
    const known = knownLists.find(({ owner }) => zone.endsWith(owner));
    return known?.named.test(text) === true || words.includes(blockListName(zone));
  });
}

/** Looks one address up in one list. Nothing is thrown but the patience's own abort. */
export async function lookUpListing(
  address: string,
  zone: string,
  { askIpv4, patience }: { askIpv4: AsksIpv4; patience: Patience },
): Promise<Listing> {
  const family = parseIp(address)?.family;
  if (family === undefined) return { kind: 'no_answer', why: 'not an IP address' };
  const points = family === 4 ? testPoints.ipv4 : testPoints.ipv6;
  const [found, listed, unlisted] = await Promise.all(
    [address, points.listed, points.unlisted].map((one) => ask(one, zone, { askIpv4, patience })),
  );
  if (found === undefined || found.kind === 'no_answer') return found ?? notAsked;
  if (listed?.kind !== 'listed')
    return {
      kind: 'no_answer',
      why: listed?.kind === 'no_answer' ? listed.why : 'the list answers for no address',
    };
  if (unlisted?.kind !== 'not_listed')
    return { kind: 'no_answer', why: 'the list answers for every address' };
  return found;
}

const notAsked: Listing = { kind: 'no_answer', why: 'not asked' };

/** RFC 5782 section 5. */
const testPoints = {
  ipv4: { listed: '127.0.0.2', unlisted: '127.0.0.1' },
  ipv6: { listed: '::ffff:7f00:2', unlisted: '::ffff:7f00:1' },
};

async function ask(
  address: string,
  zone: string,
  { askIpv4, patience }: { askIpv4: AsksIpv4; patience: Patience },
): Promise<Listing> {
  const name = canonicalHost(`${reversed(address)}.${zone}`);
  if (name === undefined) return { kind: 'no_answer', why: 'the name of the list cannot be asked for' };
  const found = await askIpv4(name, patience);
  switch (found.kind) {
    case 'no_such_name':
    case 'no_data':
      return { kind: 'not_listed' };
    case 'failed':
      return { kind: 'no_answer', why: `the resolver got no answer (${found.failure})` };
    case 'found':
      return readCodes(found.records);
  }
}

/**
 * Reads the codes. A listing is an address in 127.0.0.0/8 (RFC 5782 section 2.1). 127.255.255.x says that the list
 * does not answer this resolver, as 127.0.0.1 does at other lists. Anything else was made up on the way, as captive
 * resolvers do.
 */
function readCodes(codes: readonly string[]): Listing {
  const refusal = codes.find((code) => /^127\.255\.255\.|^127\.0\.0\.1$/.test(code));
  if (refusal !== undefined)
    return { kind: 'no_answer', why: `the list does not answer this resolver (${refusal})` };
  const foreign = codes.find((code) => !code.startsWith('127.'));
  if (foreign !== undefined)
    return { kind: 'no_answer', why: `the answer does not come from a block list (${foreign})` };
  return { kind: 'listed', codes: codes.slice(0, mostCodes) };
}

const mostCodes = 5;

/**
 * Returns the octets of IPv4, or the 32 hexadecimal digits of IPv6, in reverse order (RFC 5782 sections 2.1 and
 * 2.4).
 */
function reversed(address: string): string {
  return reverseName(address).replace(/\.(?:in-addr|ip6)\.arpa$/, '');
}
