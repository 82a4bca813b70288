import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { emptyNamespace, type MemoryNamespace } from '../memory.ts';
import type { CanonicalHost } from '../syntax/address.ts';

/**
 * Which domains take every address. A yes lives longer than a no, because a domain that begins to
 * take made-up addresses turns our `safe` into a promise we cannot keep. Undetermined is never remembered, so
 * it cannot displace a good answer.
 */
export type CatchAllMemory = {
  recall(domain: CanonicalHost): 'yes' | 'no' | undefined;
  /** How long ago what is remembered was found out. */
  ageMs(domain: CanonicalHost): number;
  /** Keeps it as long as such answers live, or for a shorter time. */
  learn(domain: CanonicalHost, answer: 'yes' | 'no', mostMs?: number): void;
};

export function createCatchAllMemory(
  clock: Clock,
  limits: Limits,
  memory: MemoryNamespace = emptyNamespace,
): CatchAllMemory {
  const answers = createBoundedCache<Kept>({ clock, maxEntries: limits.catchAllEntries });
  const longest = { yes: limits.catchAllYesMs, no: limits.catchAllNoMs };
  const ageOf = (domain: string, { fullMs }: Kept): number => fullMs - answers.lifeOf(domain);
  memory.follow(({ key, value, lifeMs }) => {
    if (lifeMs <= 0) {
      answers.delete(key);
      return;
    }
    if (value !== 'yes' && value !== 'no') return;
    const heard: Aged = { answer: value, ageMs: Math.max(0, longest[value] - lifeMs) };
    const known = answers.get(key);
    if (
      known !== undefined &&
      laterAnswer({ answer: known.answer, ageMs: ageOf(key, known) }, heard) !== heard
    )
      return;
    answers.set(key, { answer: value, fullMs: longest[value] }, longest[value] - heard.ageMs);
  });
  return {
    recall: (domain) => answers.get(domain)?.answer,
    ageMs(domain) {
      const kept = answers.get(domain);
      return kept === undefined ? 0 : ageOf(domain, kept);
    },
    learn(domain, answer, mostMs = Infinity) {
      const fullMs = Math.min(longest[answer], mostMs);
      answers.set(domain, { answer, fullMs }, fullMs);
      memory.learn(domain, answer, fullMs);
    },
  };
}

/** `fullMs` is the life it had when it was new. */
type Kept = { answer: 'yes' | 'no'; fullMs: number };

type Aged = { answer: 'yes' | 'no'; ageMs: number };

/** Of two engines' answers the later one; of two at once a yes, which promises less. */
export function laterAnswer(one: Aged, other: Aged): Aged {
  if (one.ageMs !== other.ageMs) return one.ageMs < other.ageMs ? one : other;
  return one.answer === 'yes' ? one : other;
}
