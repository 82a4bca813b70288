import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';

/** Why a lookup gave no answer. A failure says nothing about the domain. */
export type LookupFailure = 'servfail' | 'refused' | 'silence' | 'malformed' | 'other_rcode';

/** The resolver's answer. Four outcomes, never a bare list: an empty answer and no answer differ. */
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

/**
 * Types that the parts of the resolver share. Other folders see `Resolver`; in here an answer also carries how long
 * it may be kept.
 */

export type QuestionType = 'MX' | 'A' | 'AAAA' | 'PTR' | 'TXT';

/** A question as it goes on the wire. `name` is written as it is: no search list, no change of case. */
export type DnsQuestion = { name: string; type: QuestionType };

/** One record of the asked type. One shape serves all five; `preference` is 0 but for MX. */
export type WireRecord = { text: string; preference: number };

/** A lookup with the seconds it may be kept: 0 means not at all. */
export type DnsAnswer = { lookup: Lookup<WireRecord>; ttlS: number };

export type Ask = (question: DnsQuestion, patience: Patience) => Promise<DnsAnswer>;

/** The asker of a question. Called once: with an answer, or with a defect of ours. */
export type LookupOwner = { answered(answer: DnsAnswer): void; broke(error: unknown): void };

/** A question, its deadline, and its owner. */
export type LookupOrder = { question: DnsQuestion; endsAt: number; owner: LookupOwner };

/** A question on its way. A lookup that no caller waits for is given up, with everything still open for it. */
export type WireLookup = { giveUp(): void };

/** A recursive resolver to ask. */
export type DnsServer = { ip: string; port: number };
