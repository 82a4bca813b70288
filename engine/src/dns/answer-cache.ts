/** Answers by the key of their question, kept as long as their zone allows and not longer than our limits. */
import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { DnsAnswer, DnsQuestion } from './question.ts';

type AnswerCache = {
  get(key: string): DnsAnswer | undefined;
  keep(key: string, answer: DnsAnswer): void;
  /** How much longer the answer is kept; 0 where there is none. */
  lifeMs(key: string): number;
  /** Drops every denial: called when the resolver turned out to deny what exists. */
  forgetMissing(): void;
  /** Drops every answer: called when such a resolver has recovered. */
  forgetAll(): void;
};

export function createAnswerCache(parts: { clock: Clock; limits: Limits }): AnswerCache {
  const { clock, limits } = parts;
  const entries = createBoundedCache<{ answer: DnsAnswer; era: number }>({
    clock,
    maxEntries: limits.dnsCacheEntries,
  });
  // Forgetting begins an era: a denial from an earlier one is not believed any more.
  let era = 0;
  let firstEra = 0;

  const isForgotten = (kept: { answer: DnsAnswer; era: number }): boolean =>
    kept.era < (isDenial(kept.answer) ? era : firstEra);

  return {
    get(key) {
      const entry = entries.get(key);
      return entry === undefined || isForgotten(entry) ? undefined : entry.answer;
    },
    keep(key, answer) {
      entries.set(key, { answer, era }, lifeInSeconds(answer, limits) * 1_000);
    },
    lifeMs: (key) => entries.lifeOf(key),
    forgetMissing() {
      era += 1;
    },
    forgetAll() {
      era += 1;
      firstEra = era;
    },
  };
}

function isDenial({ lookup }: DnsAnswer): boolean {
  return lookup.kind === 'no_such_name' || lookup.kind === 'no_data';
}

/** What an answer is kept under. No type and no canonical name holds a space, so two questions never share a key. */
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
