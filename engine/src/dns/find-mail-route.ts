/**
 * Finds where a domain's mail goes (RFC 5321 section 5.1), or proves that it goes nowhere.
 *
 * Proof is strict, for it becomes a charged `invalid`: a failed lookup proves nothing, "no such
 * name" counts only when two answers agree and the control name resolves, and "no mail host
 * resolves" only when every one of them was asked. Whatever falls short is `undetermined`.
 *
 * Queries: MX, then A of the first host: two round trips. AAAA where it has no A record; where it has, AAAA are asked
 * for by mail-targets.ts, once it could not be reached. At the worst MX, five hosts with two queries each, and the
 * control name.
 */
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { ControlName } from './control-name.ts';
import type { LookupFailure, MxRecord, Resolver } from './lookup.ts';
import type { MailRoute } from './mail-route.ts';
import { resolveHost } from './resolve-host.ts';
import type { SiftedExchanges } from './sift-exchanges.ts';
import { isNullMx, siftExchanges } from './sift-exchanges.ts';

type MailRouteParts = {
  resolver: Resolver;
  clock: Clock;
  limits: Limits;
  /** None: two agreeing answers decide by themselves. */
  control?: ControlName | undefined;
};

/** One search: its parts, its patience, and when it began. */
type Search = { parts: MailRouteParts; domain: CanonicalHost; patience: Patience; since: number };

export async function findMailRoute(
  domain: CanonicalHost,
  parts: MailRouteParts,
  patience: Patience,
): Promise<MailRoute> {
  const since = parts.clock.now();
  const deadline = Math.min(patience.deadline, since + parts.limits.dnsPhaseMs);
  const search: Search = { parts, domain, patience: { deadline, signal: patience.signal }, since };
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
  let unknownName = false;
  for (let index = 0; index < limits.mailHostLookups; index += 1) {
    const name = names[index];
    if (name === undefined) break;
    const host = await resolveHost(name, search.parts, search.patience);
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
        unknownName ||= host.unknownName;
        break;
      case 'failed':
        failure ??= host.failure;
        break;
    }
  }
  if (failure !== undefined) return undetermined(failure);
  return refuseUnlessInDoubt(exchanges, unknownName, search);
}

/** None of the names that were asked resolves: proof if they were all there are, and DNS is in order. */
async function refuseUnlessInDoubt(
  exchanges: SiftedExchanges,
  unknownName: boolean,
  search: Search,
): Promise<MailRoute> {
  if (exchanges.incomplete || exchanges.names.length > search.parts.limits.mailHostLookups)
    return undetermined('malformed');
  if (unknownName && (await inDoubt(search))) return undetermined('malformed');
  return { kind: 'refuses_mail', why: 'no_mail_host_resolves' };
}

/** No MX: the domain's own address is its mail host. */
async function routeByOwnAddress(search: Search): Promise<MailRoute> {
  const { domain } = search;
  const host = await resolveHost(domain, search.parts, search.patience);
  switch (host.kind) {
    case 'resolves': {
      const first = { name: domain, addresses: host.addresses };
      return { kind: 'takes_mail', implicit: true, mxRecords: [domain], preferred: 1, first, further: [] };
    }
    case 'absent':
      // A name that has no MX exists; an answer that it does not exist contradicts the one before.
      if (host.unknownName) return undetermined('malformed');
      return { kind: 'refuses_mail', why: 'no_mail_host' };
    case 'failed':
      return undetermined(host.failure);
  }
}

/** Asks for an address of the same name: only if it is unknown there too does the domain not exist. */
async function confirmNoSuchDomain(search: Search): Promise<MailRoute> {
  const [again, doubtful] = await Promise.all([
    search.parts.resolver.ipv4(search.domain, search.patience),
    inDoubt(search),
  ]);
  if (again.kind === 'failed') return undetermined(again.failure);
  if (again.kind !== 'no_such_name' || doubtful) return undetermined('malformed');
  return { kind: 'refuses_mail', why: 'no_such_domain' };
}

async function inDoubt(search: Search): Promise<boolean> {
  return (await search.parts.control?.inDoubt(search.since, search.patience)) ?? false;
}

function undetermined(failure: LookupFailure): MailRoute {
  return { kind: 'undetermined', failure };
}
