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
  learn(domain: CanonicalHost, answer: 'yes' | 'no'): void;
};

export function createCatchAllMemory(
  clock: Clock,
  limits: Limits,
  memory: MemoryNamespace = emptyNamespace,
): CatchAllMemory {
  const answers = createBoundedCache<'yes' | 'no'>({ clock, maxEntries: limits.catchAllEntries });
  const longest = { yes: limits.catchAllYesMs, no: limits.catchAllNoMs };
  memory.follow(({ key, value, lifeMs }) => {
    if ((value !== 'yes' && value !== 'no') || lifeMs <= 0) return;
    const heard: Aged = { answer: value, ageMs: Math.max(0, longest[value] - lifeMs) };
    const known = answers.get(key);
    const believed =
      known === undefined
        ? heard
        : laterAnswer({ answer: known, ageMs: longest[known] - answers.lifeOf(key) }, heard);
    answers.set(key, believed.answer, longest[believed.answer] - believed.ageMs);
  });
  return {
    recall: (domain) => answers.get(domain),
    ageMs(domain) {
      const answer = answers.get(domain);
      return answer === undefined ? 0 : longest[answer] - answers.lifeOf(domain);
    },
    learn(domain, answer) {
      answers.set(domain, answer, longest[answer]);
      memory.learn(domain, answer, longest[answer]);
    },
  };
}

type Aged = { answer: 'yes' | 'no'; ageMs: number };

/** Of two engines' answers the later one; of two at once a yes, which promises less. */
export function laterAnswer(one: Aged, other: Aged): Aged {
  if (one.ageMs !== other.ageMs) return one.ageMs < other.ageMs ? one : other;
  return one.answer === 'yes' ? one : other;
}
