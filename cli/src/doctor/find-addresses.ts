import type { CanonicalHost } from '@mailproof/engine';
import type { DoctorParts } from './check.ts';

type FoundAddresses = { kind: 'found'; addresses: string[] } | { kind: 'none' } | { kind: 'failed' };

/** The addresses of a name, IPv4 first. A failed half beside an answered one does not spoil the answer. */
export async function findAddresses(
  name: CanonicalHost,
  { resolver, patience }: DoctorParts,
): Promise<FoundAddresses> {
  const lookups = await Promise.all([resolver.ipv4(name, patience()), resolver.ipv6(name, patience())]);
  const addresses = lookups.flatMap((lookup) => (lookup.kind === 'found' ? lookup.records : []));
  if (addresses.length > 0) return { kind: 'found', addresses };
  return lookups.some(({ kind }) => kind === 'failed') ? { kind: 'failed' } : { kind: 'none' };
}
