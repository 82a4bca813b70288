import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';

/** Why a lookup gave no answer. None of these says anything about the domain. */
export type LookupFailure = 'servfail' | 'refused' | 'silence' | 'malformed' | 'other_rcode';

/** What the resolver said. Four outcomes, never a bare list: an empty answer and no answer differ. */
export type Lookup<Found> =
  | { kind: 'found'; records: Found[] }
  | { kind: 'no_data' }
  | { kind: 'no_such_name' }
  | { kind: 'failed'; failure: LookupFailure };

/** A mail-exchanger record as it came off the wire; `exchange` is raw and must be canonicalised. */
export type MxRecord = { preference: number; exchange: string };

/** A stub resolver: asks recursive resolvers, never walks the tree itself. */
export type Resolver = {
  mx(name: CanonicalHost, patience: Patience): Promise<Lookup<MxRecord>>;
  ipv4(name: CanonicalHost, patience: Patience): Promise<Lookup<string>>;
  ipv6(name: CanonicalHost, patience: Patience): Promise<Lookup<string>>;
  /** The names an IP address points back to; for `doctor`. */
  reverse(ip: string, patience: Patience): Promise<Lookup<string>>;
  /** Records about a host stand under names of their own, which begin with an underscore (RFC 8552). */
  text(name: CanonicalHost | `_${string}`, patience: Patience): Promise<Lookup<string>>;
  close(): void;
};
