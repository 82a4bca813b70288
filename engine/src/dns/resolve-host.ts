/**
 * The addresses of a mail host, IPv4 first. The AAAA records of a host that has A records serve only where none of its
 * IPv4 addresses can be reached, so they are asked for by whoever has tried those, and by nobody else.
 */
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { Lookup, LookupFailure, Resolver } from './lookup.ts';

export type HostResolver = Pick<Resolver, 'ipv4' | 'ipv6'>;

export type HostParts = {
  resolver: HostResolver;
  limits: Limits;
  /** Whether whoever asks mail hosts may reach one over IPv6; where nothing is said, it may. */
  reachesIpv6?: (() => boolean) | undefined;
};

type ResolvedHost =
  /** All of one family: of IPv6 only where there are none of IPv4. */
  | { kind: 'resolves'; addresses: string[] }
  /** Neither address; `unknownName` if an answer was "no such name" rather than "no data". */
  | { kind: 'absent'; unknownName: boolean }
  /** One lookup at least failed and the other found nothing. */
  | { kind: 'failed'; failure: LookupFailure };

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

/** The IPv6 addresses of a host that has IPv4 addresses; none where nothing could leave over IPv6. */
export async function ipv6AddressesOf(
  name: CanonicalHost,
  { resolver, limits, reachesIpv6 }: HostParts,
  patience: Patience,
): Promise<string[]> {
  return reachesIpv6?.() === false ? [] : addressesIn(await resolver.ipv6(name, patience), limits);
}

/** Each once, and not more than are ever dialled. */
function addressesIn(answer: Lookup<string>, { mailAddresses }: Limits): string[] {
  if (answer.kind !== 'found') return [];
  if (answer.records.length === 1) return answer.records;
  return [...new Set(answer.records)].slice(0, mailAddresses);
}
