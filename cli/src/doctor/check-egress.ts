import {
  checkHelo,
  evaluateSpf,
  waysOf,
  type CanonicalHost,
  type EgressWay,
  type RouteSetting,
} from '@mailproof/engine';
import { findAddresses, type DoctorParts, type Finding } from './doctor-parts.ts';

const addressesMax = 4;

/**
 * The HELO name has an IP address, and that address has a reverse DNS name that leads back to it. Large providers
 * reject or defer other clients.
 */
export async function checkHeloName(parts: DoctorParts): Promise<Finding> {
  const { heloName } = parts;
  const remedy =
    'Set MAILPROOF_HELO_NAME to a DNS name that resolves to the public IP address of this machine.';
  if (/(?:^|\.)(?:localdomain|localhost|local|internal|invalid)$/.test(heloName)) {
    return {
      check: 'HELO name',
      state: 'problem',
      seen: `${heloName} is not a name that others can look up`,
      remedy,
    };
  }
  const found = await findAddresses(heloName, parts);
  switch (found.kind) {
    case 'failed':
      return {
        check: 'HELO name',
        state: 'not_checked',
        seen: `${heloName} could not be looked up: the resolver did not answer`,
      };
    case 'none':
      return { check: 'HELO name', state: 'problem', seen: `${heloName} has no IP address in DNS`, remedy };
    case 'found':
      return await checkPointsBack(found.addresses.slice(0, addressesMax), parts);
  }
}

async function checkPointsBack(addresses: string[], parts: DoctorParts): Promise<Finding> {
  const { heloName } = parts;
  const named = await Promise.all(addresses.map((address) => namesOf(address, parts)));
  const astray = named.filter(({ names }) => !names.includes(heloName));
  const first = astray[0];
  if (first === undefined) {
    const where = addresses.some((address) => parts.ownAddresses.includes(address))
      ? ''
      : ', which is not a local address (normal behind NAT)';
    return {
      check: 'HELO name',
      state: 'ok',
      seen: `${heloName} resolves to ${addresses.join(', ')} and back${where}`,
    };
  }
  const seen =
    first.names.length === 0
      ? 'has no reverse DNS name'
      : `has the reverse DNS name ${first.names.slice(0, 3).join(', ')}`;
  return {
    check: 'HELO name',
    state: 'problem',
    seen: `${heloName} resolves to ${first.address}, but ${first.address} ${seen}`,
    remedy: `Have the reverse DNS (PTR) record of ${first.address} set to ${heloName}. The provider of the IP address can do this.`,
  };
}

async function namesOf(
  address: string,
  { resolver, patience }: DoctorParts,
): Promise<{ address: string; names: string[] }> {
  const lookup = await resolver.reverse(address, patience());
  const names = lookup.kind === 'found' ? lookup.records : [];
  return { address, names: names.map((name) => name.toLowerCase().replace(/\.$/, '')) };
}

/**
 * Checks each egress address as mail servers do. The HELO name must resolve to it, its reverse DNS name must lead
 * back to it, and SPF of the sender's domain must allow it. Block lists are looked up in `check-block-lists.ts`.
 */
export async function checkEgress(parts: DoctorParts): Promise<Finding[]> {
  const found = await Promise.all(parts.routes.map((route) => checkRoute(route, parts)));
  return found.flat();
}

/** A route as mail servers see it. */
type Seen = { heloName: CanonicalHost; sender: string; named: string };

async function checkRoute(route: RouteSetting, parts: DoctorParts): Promise<Finding[]> {
  const { config, routes } = parts;
  const seen: Seen = {
    // The settings and the providers file accept only canonical host names.
    heloName: (route.heloName ?? config.heloName) as CanonicalHost,
    sender: route.mailFrom ?? config.mailFrom,
    named: routes.length === 1 ? '' : ` (route ${route.id})`,
  };
  const ways = await waysOf(route, { stated: config.publicAddresses });
  const known = ways.filter(({ seenFrom }) => seenFrom.length > 0);
  const findings = await Promise.all(
    known.flatMap((way) => way.seenFrom.flatMap((address) => checkAddress(address, { way, seen }, parts))),
  );
  if (known.length > 0) return findings.flat();
  return [
    {
      check: `egress address${seen.named}`,
      state: 'not_checked',
      seen: 'the address that mail servers see us come from is not known here (NAT or a proxy)',
      remedy:
        'Set MAILPROOF_PUBLIC_ADDRESS (or publicAddresses of the route) to it. Until then only the HELO name is checked.',
    },
    await checkRecord(seen, parts),
  ];
}

type AddressParts = { way: EgressWay; seen: Seen };

function checkAddress(address: string, { way, seen }: AddressParts, parts: DoctorParts): Promise<Finding>[] {
  return [
    checkName(address, { way, seen }, parts),
    checkReverse(address, seen, parts),
    checkSpf(address, seen, parts),
  ];
}

async function checkName(address: string, { way, seen }: AddressParts, parts: DoctorParts): Promise<Finding> {
  const check = `egress address${seen.named}`;
  const { resolver, patience } = parts;
  const only = { family: way.family, seenFrom: [address] };
  const found = await checkHelo({ heloName: seen.heloName, way: only, resolver }, patience());
  switch (found.kind) {
    case 'proven':
      return { check, state: 'ok', seen: found.seen };
    case 'not_known':
      return { check, state: 'not_checked', seen: found.seen };
    case 'wrong': {
      const isStopped = parts.config.identityCheck === 'on' ? ': public mail servers are not asked' : '';
      return { check, state: 'problem', seen: `${found.seen}${isStopped}`, remedy: `${found.remedy}.` };
    }
  }
}

const mostNames = 5;

/** Forward-confirmed reverse DNS: a name of the address leads back to it (RFC 8601 section 2.7.3). */
async function checkReverse(address: string, seen: Seen, parts: DoctorParts): Promise<Finding> {
  const check = `reverse DNS${seen.named}`;
  const remedy = `Have the reverse DNS (PTR) record of ${address} set to ${seen.heloName}, and an address record of that name lead to ${address}. The provider of the IP address sets the former. Gmail and Outlook reject IPv6 clients without it.`;
  const lookup = await parts.resolver.reverse(address, parts.patience());
  if (lookup.kind === 'failed')
    return { check, state: 'not_checked', seen: `the reverse DNS of ${address} could not be looked up` };
  const names = lookup.kind === 'found' ? lookup.records.slice(0, mostNames) : [];
  const plain = names.map((name) => name.toLowerCase().replace(/\.$/, ''));
  if (plain.length === 0)
    return { check, state: 'problem', seen: `${address} has no reverse DNS name`, remedy };
  for (const name of plain) {
    const found = await findAddresses(name as CanonicalHost, parts);
    if (found.kind === 'found' && found.addresses.includes(address)) {
      const differs = plain.includes(seen.heloName) ? '' : `, which is not the HELO name ${seen.heloName}`;
      return { check, state: 'ok', seen: `${address} is ${name}, which leads back to it${differs}` };
    }
  }
  const told = plain.slice(0, 3).join(', ');
  return {
    check,
    state: 'problem',
    seen: `${address} has the reverse DNS name ${told}, which does not lead back to it`,
    remedy,
  };
}

function domainOf(sender: string): string {
  return sender.slice(sender.lastIndexOf('@') + 1);
}

/** Evaluates SPF for the address, as receivers do (RFC 7208). */
async function checkSpf(
  address: string,
  { heloName, sender, named }: Seen,
  parts: DoctorParts,
): Promise<Finding> {
  const check = `SPF${named}`;
  const domain = domainOf(sender);
  const question = { ip: address, domain, sender, heloName };
  const { result, by } = await evaluateSpf(question, parts.resolver, parts.patience());
  const term = `ip${address.includes(':') ? '6' : '4'}:${address}`;
  const remedy = `Add ${term} to the one TXT record of ${domain} that starts with v=spf1.`;
  const says = `SPF of ${domain} for ${address}: ${result} (${by})`;
  switch (result) {
    case 'pass':
      return { check, state: 'ok', seen: says };
    case 'temperror':
      return { check, state: 'not_checked', seen: says };
    case 'fail':
      return { check, state: 'problem', seen: says, remedy };
    case 'none':
      return {
        check,
        state: 'warning',
        seen: says,
        remedy: `Publish a TXT record at ${domain}: v=spf1 ${term} -all`,
      };
    case 'permerror':
    case 'softfail':
    case 'neutral':
      return { check, state: 'warning', seen: says, remedy };
  }
}

/** Without an address SPF cannot be evaluated, so this only checks that there is exactly one record. */
async function checkRecord({ sender, named }: Seen, { resolver, patience }: DoctorParts): Promise<Finding> {
  const check = `SPF${named}`;
  const domain = domainOf(sender);
  const remedy = `Publish exactly one TXT record at ${domain} that starts with v=spf1 and includes the IP address that mail servers see.`;
  const lookup = await resolver.text(domain as CanonicalHost, patience());
  if (lookup.kind === 'failed')
    return { check, state: 'not_checked', seen: `${domain} could not be looked up (${lookup.failure})` };
  const records =
    lookup.kind === 'found' ? lookup.records.filter((text) => /^v=spf1(?: |$)/i.test(text)) : [];
  const [record = ''] = records;
  if (records.length === 1)
    return {
      check,
      state: 'not_checked',
      seen: `not evaluated without an address; ${domain} has ${record.slice(0, 120)}`,
    };
  const seen =
    records.length === 0 ? 'no SPF record' : `${records.length} SPF records, which counts as an error`;
  return { check, state: 'warning', seen: `${domain} has ${seen}`, remedy };
}
