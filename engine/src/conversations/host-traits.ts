import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { emptyShelf, isFields, type Shelf } from '../memory.ts';

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

export function createHostMemory(clock: Clock, limits: Limits, shelf: Shelf = emptyShelf): HostMemory {
  const traits = createBoundedCache<HostTraits>(clock, limits.hostTraitEntries);
  const recall = (host: string): HostTraits => traits.get(host) ?? {};
  for (const { key, value, lifeMs } of shelf.load()) {
    traits.set(key, readTraits(value), Math.min(lifeMs, limits.hostTraitMs));
  }
  return {
    recall,
    learn(host, learnt) {
      const all = { ...recall(host), ...learnt };
      traits.set(host, all, limits.hostTraitMs);
      shelf.learn(host, all, limits.hostTraitMs);
    },
  };
}

/** Takes of a kept value what is a trait, and nothing else. */
function readTraits(value: unknown): HostTraits {
  if (!isFields(value)) return {};
  const { tls, oneRecipient, refusalsTaken } = value;
  return {
    ...(tls === 'demanded' || tls === 'broken' ? { tls } : {}),
    ...(oneRecipient === true ? { oneRecipient } : {}),
    ...(Number.isSafeInteger(refusalsTaken) && Number(refusalsTaken) >= 1
      ? { refusalsTaken: Number(refusalsTaken) }
      : {}),
  };
}
