/** The addresses of a mail host: A and AAAA asked at once, IPv4 first. */
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { Lookup, LookupFailure, Resolver } from './lookup.ts';

export type HostResolver = Pick<Resolver, 'ipv4' | 'ipv6'>;

type ResolvedHost =
  | { kind: 'resolves'; addresses: string[] }
  /** Neither address; `unknownName` if an answer was "no such name" rather than "no data". */
  | { kind: 'absent'; unknownName: boolean }
  /** One lookup at least failed and the other found nothing. */
  | { kind: 'failed'; failure: LookupFailure };

export async function resolveHost(
  name: CanonicalHost,
  parts: { resolver: HostResolver; limits: Limits },
  patience: Patience,
): Promise<ResolvedHost> {
  const answers = await Promise.all([
    parts.resolver.ipv4(name, patience),
    parts.resolver.ipv6(name, patience),
  ]);
  const [ipv4, ipv6] = answers;
  const most = parts.limits.mailAddresses;
  const addresses = addressesIn(ipv4, most).concat(addressesIn(ipv6, most));
  if (addresses.length > 0) return { kind: 'resolves', addresses };
  const failed = answers.find((answer) => answer.kind === 'failed');
  if (failed !== undefined) return { kind: 'failed', failure: failed.failure };
  return { kind: 'absent', unknownName: answers.some((answer) => answer.kind === 'no_such_name') };
}

function addressesIn(answer: Lookup<string>, most: number): string[] {
  return answer.kind === 'found' ? [...new Set(answer.records)].slice(0, most) : [];
}
