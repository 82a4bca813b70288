import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';

/** What experience taught about a mail host, so that the next conversation need not learn it again. */
export type HostTraits = {
  /** `demanded`: refuses to talk without it. `broken`: offers STARTTLS, but the handshake fails. */
  tls?: 'demanded' | 'broken';
  /** Takes one recipient in a transaction and puts the second off. */
  oneRecipient?: true;
  /** Hangs up after this many refused recipients. */
  refusalsTaken?: number;
};

export type HostMemory = {
  recall(host: string): HostTraits;
  learn(host: string, traits: HostTraits): void;
};

export function createHostMemory(clock: Clock, limits: Limits): HostMemory {
  const traits = createBoundedCache<HostTraits>(clock, limits.hostTraitEntries);
  const recall = (host: string): HostTraits => traits.get(host) ?? {};
  return {
    recall,
    learn: (host, learnt) => traits.set(host, { ...recall(host), ...learnt }, limits.hostTraitMs),
  };
}
