/** Answers by question, kept as long as their zone allows and not longer than our limits. */
import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { DnsAnswer, DnsQuestion } from './question.ts';

type AnswerCache = {
  get(question: DnsQuestion): DnsAnswer | undefined;
  keep(question: DnsQuestion, answer: DnsAnswer): void;
  /** How much longer the answer is kept; 0 where there is none. */
  lifeMs(question: DnsQuestion): number;
  /** Drops every "no such name": called when the resolver turned out to have said so of everything. */
  forgetMissing(): void;
};

export function createAnswerCache(parts: { clock: Clock; limits: Limits }): AnswerCache {
  const { clock, limits } = parts;
  const entries = createBoundedCache<{ answer: DnsAnswer; era: number }>({
    clock,
    maxEntries: limits.dnsCacheEntries,
  });
  // Forgetting begins an era: a "no such name" from an earlier one is not believed any more.
  let era = 0;

  return {
    get(question) {
      const entry = entries.get(keyOf(question));
      if (entry?.answer.lookup.kind === 'no_such_name' && entry.era < era) return undefined;
      return entry?.answer;
    },
    keep(question, answer) {
      entries.set(keyOf(question), { answer, era }, lifeInSeconds(answer, limits) * 1_000);
    },
    lifeMs: (question) => entries.lifeOf(keyOf(question)),
    forgetMissing() {
      era += 1;
    },
  };
}

/** No type and no canonical name holds a space, so two questions never share a key. */
export function keyOf(question: DnsQuestion): string {
  return `${question.type} ${question.name}`;
}

function lifeInSeconds(answer: DnsAnswer, limits: Limits): number {
  switch (answer.lookup.kind) {
    case 'found':
      return Math.min(answer.ttlS, limits.dnsTtlMaxS);
    case 'no_data':
    case 'no_such_name':
      return Math.min(answer.ttlS, limits.dnsNegativeTtlMaxS);
    case 'failed':
      return limits.dnsFailureTtlS;
  }
}
