import type { Resolver } from '../dns/lookup.ts';
import type { MailRoute } from '../dns/mail-route.ts';
import { isPublicAddress, type EgressWay } from '../egress/own-addresses.ts';
import { parseIp } from '../ip-address.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';

/**
 * Whether a name that we introduce ourselves by is ours, as far as a mail host can tell. It must resolve to the
 * address that the connection comes from (RFC 5321 section 4.1.4; RFC 7001 calls it `iprev`). And the sender's
 * domain must take mail, because receivers call back. Three outcomes: a lookup that failed proves nothing.
 */
export type IdentityFinding =
  /** `note`: the part that could not be compared. */
  | { kind: 'proven'; seen: string; note?: string }
  | { kind: 'wrong'; seen: string; remedy: string }
  | { kind: 'not_known'; seen: string };

const privateName = /(?:^|\.)(?:localdomain|localhost|local|internal|invalid|lan|home\.arpa)$/;

const heloRemedy =
  'Set MAILPROOF_HELO_NAME to a DNS name that resolves to the public IP address of this machine';

type HeloParts = {
  heloName: CanonicalHost;
  way: EgressWay;
  resolver: Pick<Resolver, 'ipv4' | 'ipv6'>;
};

/** Looks the HELO name up for connections of one family. */
export async function checkHelo(
  { heloName, way, resolver }: HeloParts,
  patience: Patience,
): Promise<IdentityFinding> {
  if (privateName.test(heloName)) {
    const seen = `the HELO name ${heloName} is not a name that others can look up`;
    return { kind: 'wrong', seen, remedy: heloRemedy };
  }
  const lookup = await resolver[way.family === 4 ? 'ipv4' : 'ipv6'](heloName, patience);
  if (lookup.kind === 'failed')
    return {
      kind: 'not_known',
      seen: `the HELO name ${heloName} could not be looked up: the resolver did not answer`,
    };
  const found = lookup.kind === 'found' ? lookup.records : [];
  return way.seenFrom.length === 0 ? judgeUnseen(heloName, way, found) : judgeSeen(heloName, way, found);
}

const recordType = { 4: 'A', 6: 'AAAA' } as const;

function leadsTo(found: readonly string[], { family }: EgressWay): string {
  return found.length === 0
    ? `has no IPv${family} address in DNS`
    : `resolves to ${found.slice(0, 3).join(', ')}`;
}

/**
 * Compares the addresses that hosts see with those of the name. Each must be among them: which one a connection has
 * is not known.
 */
function judgeSeen(name: string, way: EgressWay, found: readonly string[]): IdentityFinding {
  const known = new Set(found.map(sortable));
  const missing = way.seenFrom.find((address) => !known.has(sortable(address)));
  if (missing === undefined)
    return { kind: 'proven', seen: `the HELO name ${name} resolves to ${way.seenFrom.join(', ')}` };
  return {
    kind: 'wrong',
    seen: `the HELO name ${name} ${leadsTo(found, way)}, and mail hosts see us come from ${missing}`,
    remedy: `Add ${missing} to the ${recordType[way.family]} records of ${name}, or set MAILPROOF_HELO_NAME to a name that resolves to it. If mail hosts see another address, set MAILPROOF_PUBLIC_ADDRESS`,
  };
}

/** Behind NAT the address is not known here. Then the name has to lead to the internet at least. */
function judgeUnseen(name: string, way: EgressWay, found: readonly string[]): IdentityFinding {
  const open = found.filter((address) => isPublicAddress(address));
  if (open.length > 0)
    return {
      kind: 'proven',
      seen: `the HELO name ${name} ${leadsTo(open, way)}`,
      note: 'the address that mail hosts see is not known here; set MAILPROOF_PUBLIC_ADDRESS to compare it',
    };
  const why = found.length === 0 ? '' : ', which is not public';
  return { kind: 'wrong', seen: `the HELO name ${name} ${leadsTo(found, way)}${why}`, remedy: heloRemedy };
}

/** Returns one spelling for an address that may be written in several ways (RFC 5952). */
function sortable(address: string): string {
  const ip = parseIp(address);
  return ip === undefined ? address : `${ip.family} ${ip.value}`;
}

/** Judges the sender's domain by its mail route. */
export function judgeSenderDomain(domain: string, route: MailRoute): IdentityFinding {
  switch (route.kind) {
    case 'takes_mail':
      return { kind: 'proven', seen: `the sender domain ${domain} takes mail` };
    case 'undetermined':
      return {
        kind: 'not_known',
        seen: `the sender domain ${domain} could not be looked up: the resolver gave no answer`,
      };
    case 'refuses_mail':
      return {
        kind: 'wrong',
        seen: `the sender domain ${domain} ${refusalWords[route.why]}`,
        remedy: 'Set MAILPROOF_MAIL_FROM to an address at a domain of yours that receives mail',
      };
  }
}

const refusalWords: Record<(MailRoute & { kind: 'refuses_mail' })['why'], string> = {
  no_such_domain: 'does not exist',
  null_mx: 'declares that it takes no mail (null MX)',
  no_mail_host: 'has neither a mail server nor an IP address',
  no_mail_host_resolves: 'has mail servers of which none has an IP address',
  mail_host_leads_nowhere: 'has mail servers that no other machine can reach',
};
