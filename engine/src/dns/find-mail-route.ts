/**
 * Finds where a domain's mail goes (RFC 5321 section 5.1), or proves that it goes nowhere.
 *
 * Proof is strict, for it becomes a charged `invalid`: a failed lookup proves nothing, "no such name" counts only when
 * two answers agree, and "no mail host resolves" only when every one of them was asked. Whatever falls short is
 * `undetermined`. Whether the resolver itself is to be believed is found out by believe-denials.ts.
 *
 * A host all of whose addresses lead nowhere (127.0.0.1, 0.0.0.0 and the like) is no better than one without any.
 *
 * Queries: MX, then A of the first host: two round trips. AAAA if it has no A record that leads anywhere; otherwise AAAA
 * are asked for by mail-targets.ts, once it could not be reached. At the worst MX, and five hosts with two queries each.
 */
import { isIPv4 } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { LookupFailure, MxRecord, Resolver } from './lookup.ts';
import type { MailRoute } from './mail-route.ts';
import { resolveHost } from './resolve-host.ts';
import { isNullMx, siftExchanges } from './sift-exchanges.ts';

type MailRouteParts = {
  resolver: Resolver;
  clock: Clock;
  limits: Limits;
  /** Whether no mail host can be at this IP address; if nothing is said, every address is as good as another. */
  leadsNowhere?: ((address: string) => boolean) | undefined;
};

type Search = { parts: MailRouteParts; domain: CanonicalHost; patience: Patience };

/** A host as a search needs it: one whose addresses all lead nowhere is told from one without any. */
type SearchedHost = Awaited<ReturnType<typeof resolveHost>> | { kind: 'leads_nowhere' };

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
  // Proof only if those that were asked are all there are.
  if (exchanges.incomplete || names.length > limits.mailHostLookups) return undetermined('malformed');
  return { kind: 'refuses_mail', why: someLeadNowhere ? 'mail_host_leads_nowhere' : 'no_mail_host_resolves' };
}

type ResolvedHost = SearchedHost & { kind: 'resolves' };

/** Whether every address of a host leads nowhere. Beyond so many there may be others, which were not looked at. */
function leadsNowhere(
  host: SearchedHost,
  { limits, leadsNowhere: isNowhere }: MailRouteParts,
): host is ResolvedHost {
  if (isNowhere === undefined || host.kind !== 'resolves') return false;
  return host.addresses.length < limits.mailAddresses && host.addresses.every(isNowhere);
}

/** Looks for IPv6 addresses of a host whose IPv4 addresses lead nowhere. */
async function searchFurther(
  name: CanonicalHost,
  { addresses }: ResolvedHost,
  { parts: { resolver, limits, leadsNowhere: isNowhere = () => false }, patience }: Search,
): Promise<SearchedHost> {
  if (!addresses.every((address) => isIPv4(address))) return { kind: 'leads_nowhere' };
  const further = await resolver.ipv6(name, patience);
  if (further.kind === 'failed') return further;
  if (further.kind !== 'found' || further.records.every(isNowhere)) return { kind: 'leads_nowhere' };
  return { kind: 'resolves', addresses: further.records.slice(0, limits.mailAddresses) };
}

/** No MX: the domain's own address is its mail host. */
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

/** Asks for an address of the same name: only if it is unknown there too does the domain not exist. */
async function confirmNoSuchDomain(search: Search): Promise<MailRoute> {
  const again = await search.parts.resolver.ipv4(search.domain, search.patience);
  if (again.kind === 'failed') return undetermined(again.failure);
  if (again.kind !== 'no_such_name') return undetermined('malformed');
  return { kind: 'refuses_mail', why: 'no_such_domain' };
}

function undetermined(failure: LookupFailure): MailRoute {
  return { kind: 'undetermined', failure };
}
