import { isIPv4 } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { canonicalMailHost } from '../syntax/canonical-host.ts';
import { isAscii } from '../syntax/characters.ts';
import type { LookupFailure, MxRecord, Resolver, Lookup } from './lookup.ts';

/**
 * A mail host with its IPv4 addresses, or its IPv6 addresses if it has no others; the egress guard has not judged
 * them yet.
 */
export type MailHost = { name: CanonicalHost; addresses: string[] };

/** One place to dial: a mail host's name and one of its addresses. */
export type MailTarget = { host: CanonicalHost; address: string };

/** The destination of a domain's mail, or why it has none, or why we cannot tell. */
export type MailRoute =
  | {
      kind: 'takes_mail';
      /** True if the domain has no MX and its own address serves (RFC 5321 section 5.1). */
      implicit: boolean;
      /** Every usable mail host name in order of preference, lower case, no trailing dot. */
      mxRecords: CanonicalHost[];
      /** How many of these have the best preference; the others are backups. */
      preferred: number;
      /** The first host in that order whose name resolves. */
      first: MailHost;
      /** The names after it, resolved only when the first cannot be reached. */
      further: CanonicalHost[];
    }
  | { kind: 'refuses_mail'; why: RouteRefusal }
  | { kind: 'undetermined'; failure: RouteFailure };

/** Why a domain takes no mail; `mail_host_leads_nowhere`: every address is one such as 127.0.0.1 or 0.0.0.0. */
type RouteRefusal =
  'no_such_domain' | 'null_mx' | 'no_mail_host' | 'no_mail_host_resolves' | 'mail_host_leads_nowhere';

/**
 * Why we cannot tell: a lookup failed, or the resolver says "no mail here" and denies names that are known to exist, or
 * has not proved since that it finds any.
 */
export type RouteFailure = LookupFailure | 'denies_known_names' | 'denial_unproved';

type MailRouteParts = {
  resolver: Resolver;
  clock: Clock;
  limits: Limits;
  /** Whether no mail host can be at this IP address. Without it every address is as good as another. */
  leadsNowhere?: ((address: string) => boolean) | undefined;
};

type Search = { parts: MailRouteParts; domain: CanonicalHost; patience: Patience };

/** A host as a search needs it: one whose addresses all lead nowhere differs from one without any. */
type SearchedHost = Awaited<ReturnType<typeof resolveHost>> | { kind: 'leads_nowhere' };

/**
 * Finds where a domain's mail goes (RFC 5321 section 5.1), or proves that it goes nowhere.
 *
 * Proof is strict, for it becomes a charged `invalid`. A failed lookup proves nothing. "No such name" counts only if
 * two answers agree, and "no mail host resolves" only if every host was asked. Anything less is `undetermined`.
 * open-mail-routes.ts finds out whether the resolver itself can be believed.
 *
 * A host all of whose addresses lead nowhere (127.0.0.1, 0.0.0.0 and the like) is no better than one without any.
 *
 * Queries: MX, then A of the first host: two round trips. AAAA if it has no A record that leads anywhere; otherwise
 * mail-targets.ts asks for AAAA once the host could not be reached. At the worst MX, and five hosts with two queries
 * each.
 */
export async function findMailRoute(
  domain: CanonicalHost,
  parts: MailRouteParts,
  patience: Patience,
): Promise<MailRoute> {
  const deadline = Math.min(patience.deadline, parts.clock.now() + parts.limits.dnsPhaseMs);
  const search: Search = { parts, domain, patience: { deadline, signal: patience.signal } };
  const answer = await parts.resolver.mx(domain, search.patience);
  switch (answer.kind) {
    case 'found':
      return routeByExchanges(answer.records, search);
    case 'no_data':
      return routeByOwnAddress(search);
    case 'no_such_name':
      return confirmNoSuchDomain(search);
    case 'failed':
      return undetermined(answer.failure);
  }
}

async function routeByExchanges(records: MxRecord[], search: Search): Promise<MailRoute> {
  if (isNullMx(records)) return { kind: 'refuses_mail', why: 'null_mx' };
  const { limits } = search.parts;
  const exchanges = siftExchanges(records, limits.mxRecords);
  const { names, preferred } = exchanges;
  let failure: LookupFailure | undefined;
  let someLeadNowhere = false;
  for (let index = 0; index < limits.mailHostLookups; index += 1) {
    const name = names[index];
    if (name === undefined) break;
    let host: SearchedHost = await resolveHost(name, search.parts, search.patience);
    if (leadsNowhere(host, search.parts)) host = await searchFurther(name, host, search);
    switch (host.kind) {
      case 'resolves': {
        const first = { name, addresses: host.addresses };
        return {
          kind: 'takes_mail',
          implicit: false,
          mxRecords: names,
          preferred,
          first,
          further: names.slice(index + 1),
        };
      }
      case 'absent':
        break;
      case 'leads_nowhere':
        someLeadNowhere = true;
        break;
      case 'failed':
        failure ??= host.failure;
        break;
    }
  }
  if (failure !== undefined) return undetermined(failure);
  // This is proof only if every host was asked.
  if (exchanges.incomplete || names.length > limits.mailHostLookups) return undetermined('malformed');
  return { kind: 'refuses_mail', why: someLeadNowhere ? 'mail_host_leads_nowhere' : 'no_mail_host_resolves' };
}

type HostWithAddresses = SearchedHost & { kind: 'resolves' };

/**
 * Returns whether every address of a host leads nowhere. A host with more addresses than the limit may have others
 * that were not looked at.
 */
function leadsNowhere(
  host: SearchedHost,
  { limits, leadsNowhere: isNowhere }: MailRouteParts,
): host is HostWithAddresses {
  if (isNowhere === undefined || host.kind !== 'resolves') return false;
  return host.addresses.length < limits.mailAddresses && host.addresses.every(isNowhere);
}

/** Looks for IPv6 addresses of a host whose IPv4 addresses lead nowhere. */
async function searchFurther(
  name: CanonicalHost,
  { addresses }: HostWithAddresses,
  { parts: { resolver, limits, leadsNowhere: isNowhere = () => false }, patience }: Search,
): Promise<SearchedHost> {
  if (!addresses.every((address) => isIPv4(address))) return { kind: 'leads_nowhere' };
  const further = await resolver.ipv6(name, patience);
  if (further.kind === 'failed') return further;
  if (further.kind !== 'found' || further.records.every(isNowhere)) return { kind: 'leads_nowhere' };
  return { kind: 'resolves', addresses: further.records.slice(0, limits.mailAddresses) };
}

/** Uses the domain's own address as its mail host, as there is no MX. */
async function routeByOwnAddress(search: Search): Promise<MailRoute> {
  const { domain } = search;
  let host: SearchedHost = await resolveHost(domain, search.parts, search.patience);
  if (leadsNowhere(host, search.parts)) host = await searchFurther(domain, host, search);
  switch (host.kind) {
    case 'resolves': {
      const first = { name: domain, addresses: host.addresses };
      return { kind: 'takes_mail', implicit: true, mxRecords: [domain], preferred: 1, first, further: [] };
    }
    case 'absent':
      // A name that has no MX exists; an answer that it does not exist contradicts the one before.
      if (host.unknownName) return undetermined('malformed');
      return { kind: 'refuses_mail', why: 'no_mail_host' };
    case 'leads_nowhere':
      return { kind: 'refuses_mail', why: 'mail_host_leads_nowhere' };
    case 'failed':
      return undetermined(host.failure);
  }
}

/** Asks for an address of the same name. The domain does not exist only if that is unknown too. */
async function confirmNoSuchDomain(search: Search): Promise<MailRoute> {
  const again = await search.parts.resolver.ipv4(search.domain, search.patience);
  if (again.kind === 'failed') return undetermined(again.failure);
  if (again.kind !== 'no_such_name') return undetermined('malformed');
  return { kind: 'refuses_mail', why: 'no_such_domain' };
}

function undetermined(failure: LookupFailure): MailRoute {
  return { kind: 'undetermined', failure };
}

type SiftedExchanges = {
  names: CanonicalHost[];
  /** How many of the names have the best preference. */
  preferred: number;
  /**
   * Some record was not looked at, or names a host we cannot ask about. Hosts that do not resolve prove nothing
   * then.
   */
  incomplete: boolean;
};

/**
 * Turns the MX records of a domain into the names that may be asked about, in order of preference.
 *
 * Equal preferences go by alphabet. RFC 5321 section 5.1 has senders shuffle them to spread the load. A verifier
 * sends a few commands, and gains from coming back to the same host: a greylisting host has to meet us again. The
 * same domain also gets the same evidence and the same `mx_records` each time.
 */
export function siftExchanges(records: MxRecord[], mxRecords: number): SiftedExchanges {
  const sorted = records.map(withPlainName).sort(byPreferenceThenName);
  const names = new Set<CanonicalHost>();
  let incomplete = sorted.length > mxRecords;
  let best: number | undefined;
  let preferred = 0;
  for (const { preference, exchange } of sorted.slice(0, mxRecords)) {
    const host = usableHost(exchange);
    if (host !== undefined) {
      names.add(host);
      best ??= preference;
      if (preference === best) preferred = names.size;
    } else if (mayResolveElsewhere(exchange)) incomplete = true;
  }
  return { names: [...names], preferred, incomplete };
}

/** A lone record that names the root says "no mail here" (RFC 7505 section 3). */
function isNullMx(records: MxRecord[]): boolean {
  const only = records.length === 1 ? records[0] : undefined;
  return only !== undefined && withPlainName(only).exchange === '';
}

/**
 * Returns the name in lower case without a trailing dot; the root becomes the empty name. A name beyond ASCII is
 * left alone.
 */
function withPlainName({ preference, exchange }: MxRecord): MxRecord {
  return { preference, exchange: (isAscii(exchange) ? exchange.toLowerCase() : exchange).replace(/\.$/, '') };
}

function byPreferenceThenName(one: MxRecord, other: MxRecord): number {
  if (one.preference !== other.preference) return one.preference - other.preference;
  if (one.exchange === other.exchange) return 0;
  return one.exchange < other.exchange ? -1 : 1;
}

/** The name must be canonical as it stands: a name that would be mapped to another is not the one in the zone. */
function usableHost(exchange: string): CanonicalHost | undefined {
  const host = canonicalMailHost(exchange);
  return host === exchange && !exchange.endsWith('.localhost') ? host : undefined;
}

/**
 * Names with a stray hyphen are no host names (RFC 1123 section 2.1), yet zones hold them and some senders resolve
 * them. We do not ask about them, so we cannot say they lead nowhere. Anything else that is not canonical (an IP
 * address, one label, control characters) leads nowhere.
 */
function mayResolveElsewhere(exchange: string): boolean {
  const labels = exchange.split('.');
  const last = labels.at(-1) ?? '';
  return (
    labels.length > 1 &&
    labels.every((label) => /^[\w-]{1,63}$/.test(label)) &&
    !/^(?:\d+|localhost)$/.test(last)
  );
}

export type HostResolver = Pick<Resolver, 'ipv4' | 'ipv6'>;

export type HostParts = {
  resolver: HostResolver;
  limits: Limits;
  /** Whether the prober may reach mail hosts over IPv6. Default: it may. */
  reachesIpv6?: (() => boolean) | undefined;
};

type ResolvedHost =
  /** All of one family: IPv6 only if there are none of IPv4. */
  | { kind: 'resolves'; addresses: string[] }
  /** Neither address; `unknownName` if an answer was "no such name" rather than "no data". */
  | { kind: 'absent'; unknownName: boolean }
  /** At least one lookup failed and the other found nothing. */
  | { kind: 'failed'; failure: LookupFailure };

/**
 * Finds the addresses of a mail host, IPv4 first. The AAAA records of a host with A records are needed only if none
 * of its IPv4 addresses can be reached. So they are asked for after those were tried, and not before.
 */
export async function resolveHost(
  name: CanonicalHost,
  { resolver, limits }: Pick<HostParts, 'resolver' | 'limits'>,
  patience: Patience,
): Promise<ResolvedHost> {
  const ipv4 = await resolver.ipv4(name, patience);
  if (ipv4.kind === 'found') return { kind: 'resolves', addresses: addressesIn(ipv4, limits) };
  const ipv6 = await resolver.ipv6(name, patience);
  if (ipv6.kind === 'found') return { kind: 'resolves', addresses: addressesIn(ipv6, limits) };
  if (ipv4.kind === 'failed') return ipv4;
  if (ipv6.kind === 'failed') return ipv6;
  return { kind: 'absent', unknownName: ipv4.kind === 'no_such_name' || ipv6.kind === 'no_such_name' };
}

/** Returns the IPv6 addresses of a host that has IPv4 addresses; none if nothing can leave over IPv6. */
export async function ipv6AddressesOf(
  name: CanonicalHost,
  { resolver, limits, reachesIpv6 }: HostParts,
  patience: Patience,
): Promise<string[]> {
  return reachesIpv6?.() === false ? [] : addressesIn(await resolver.ipv6(name, patience), limits);
}

/** Returns each address once, and not more than are ever dialled. */
function addressesIn(answer: Lookup<string>, { mailAddresses }: Limits): string[] {
  if (answer.kind !== 'found') return [];
  if (answer.records.length === 1) return answer.records;
  return [...new Set(answer.records)].slice(0, mailAddresses);
}
