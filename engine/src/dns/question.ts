/**
 * The words the parts of the resolver speak among themselves. What leaves the folder is `Resolver`
 * (lookup.ts); in here an answer also carries how long it may be kept.
 */
import type { Patience } from '../patience.ts';
import type { Lookup } from './lookup.ts';

export type QuestionType = 'MX' | 'A' | 'AAAA' | 'PTR' | 'TXT';

/** What goes on the wire. `name` is written as it is: no search list, no change of case. */
export type DnsQuestion = { name: string; type: QuestionType };

/** One record of the asked type. One shape serves all five; `preference` is 0 but for MX. */
export type WireRecord = { text: string; preference: number };

/** A lookup with the seconds it may be kept: 0 means not at all. */
export type DnsAnswer = { lookup: Lookup<WireRecord>; ttlS: number };

export type Ask = (question: DnsQuestion, patience: Patience) => Promise<DnsAnswer>;

/** Who wants to know what comes of a question. Told once: of an answer, or of a defect of ours. */
export type LookupOwner = { answered(answer: DnsAnswer): void; broke(error: unknown): void };

/** What is asked, until when, and for whom. */
export type LookupOrder = { question: DnsQuestion; endsAt: number; owner: LookupOwner };

/** One question on its way. Once nobody waits for it, it is given up, and whatever is still open for it ends. */
export type WireLookup = { giveUp(): void };

/** A recursive resolver to ask. */
export type DnsServer = { ip: string; port: number };
