import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { emptyNamespace, isFields, type MemoryNamespace } from '../memory.ts';

/** What earlier conversations taught about a mail host, so that the next conversation need not learn it again. */
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

export function createHostMemory(
  clock: Clock,
  limits: Limits,
  memory: MemoryNamespace = emptyNamespace,
): HostMemory {
  const traits = createBoundedCache<HostTraits>({ clock, maxEntries: limits.hostTraitEntries });
  const recall = (host: string): HostTraits => traits.get(host) ?? {};
  memory.follow(({ key, value, lifeMs }) => {
    if (lifeMs <= 0) return;
    const longer = Math.max(Math.min(lifeMs, limits.hostTraitMs), traits.lifeOf(key));
    traits.set(key, joinTraits(recall(key), readTraits(value)), longer);
  });
  return {
    recall,
    learn(host, learnt) {
      const all = { ...recall(host), ...learnt };
      traits.set(host, all, limits.hostTraitMs);
      memory.learn(host, all, limits.hostTraitMs);
    },
  };
}

/** What two engines know of one host: the traits of both, and of two that differ the one that asks more care. */
export function joinTraits(one: HostTraits, other: HostTraits): HostTraits {
  const refusalsTaken = Math.min(one.refusalsTaken ?? Infinity, other.refusalsTaken ?? Infinity);
  const tls = one.tls === 'broken' ? one.tls : (other.tls ?? one.tls);
  return {
    ...(tls === undefined ? {} : { tls }),
    ...(one.oneRecipient === true || other.oneRecipient === true ? { oneRecipient: true } : {}),
    ...(Number.isFinite(refusalsTaken) ? { refusalsTaken } : {}),
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
