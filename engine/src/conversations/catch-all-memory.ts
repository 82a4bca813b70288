import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { emptyShelf, type Shelf } from '../memory.ts';
import type { CanonicalHost } from '../syntax/address.ts';

/**
 * Which domains take every address. A yes lives longer than a no, because a domain that begins to
 * take strangers turns our `safe` into a promise we cannot keep. Undetermined is never remembered, so
 * it cannot displace a good answer.
 */
export type CatchAllMemory = {
  recall(domain: CanonicalHost): 'yes' | 'no' | undefined;
  learn(domain: CanonicalHost, answer: 'yes' | 'no'): void;
};

export function createCatchAllMemory(
  clock: Clock,
  limits: Limits,
  shelf: Shelf = emptyShelf,
): CatchAllMemory {
  const answers = createBoundedCache<'yes' | 'no'>(clock, limits.catchAllEntries);
  const longest = { yes: limits.catchAllYesMs, no: limits.catchAllNoMs };
  for (const { key, value, lifeMs } of shelf.load()) {
    if (value === 'yes' || value === 'no') answers.set(key, value, Math.min(lifeMs, longest[value]));
  }
  return {
    recall: (domain) => answers.get(domain),
    learn(domain, answer) {
      answers.set(domain, answer, longest[answer]);
      shelf.learn(domain, answer, longest[answer]);
    },
  };
}
