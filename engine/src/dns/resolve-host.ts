/**
 * The addresses of a mail host: A and AAAA asked at once, IPv4 first. Where no packet could leave over IPv6, the AAAA
 * records of a host that has A records are of no use, and are not asked for.
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
  | { kind: 'resolves'; addresses: string[] }
  /** Neither address; `unknownName` if an answer was "no such name" rather than "no data". */
  | { kind: 'absent'; unknownName: boolean }
  /** One lookup at least failed and the other found nothing. */
  | { kind: 'failed'; failure: LookupFailure };

export async function resolveHost(
  name: CanonicalHost,
  { resolver, limits, reachesIpv6 }: HostParts,
  patience: Patience,
): Promise<ResolvedHost> {
  const ipv4 = resolver.ipv4(name, patience);
  if (reachesIpv6?.() === false && (await ipv4).kind === 'found') return conclude([await ipv4], limits);
  return conclude(await Promise.all([ipv4, resolver.ipv6(name, patience)]), limits);
}

function conclude(answers: Lookup<string>[], { mailAddresses }: Limits): ResolvedHost {
  const addresses = answers.flatMap((answer) => addressesIn(answer, mailAddresses));
  if (addresses.length > 0) return { kind: 'resolves', addresses };
  const failed = answers.find((answer) => answer.kind === 'failed');
  if (failed !== undefined) return { kind: 'failed', failure: failed.failure };
  return { kind: 'absent', unknownName: answers.some((answer) => answer.kind === 'no_such_name') };
}

function addressesIn(answer: Lookup<string>, most: number): string[] {
  return answer.kind === 'found' ? [...new Set(answer.records)].slice(0, most) : [];
}
