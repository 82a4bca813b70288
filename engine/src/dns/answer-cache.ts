/**
 * Answers by question, kept as long as their zone allows and not longer than our limits. Bounded:
 * the one that was not asked for the longest goes first.
 */
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { Answer, Question } from './question.ts';

export type AnswerCache = {
  get(question: Question): Answer | undefined;
  keep(question: Question, answer: Answer): void;
  /** Drops every "no such name": called when the resolver turned out to have said so of everything. */
  forgetMissing(): void;
};

export function createAnswerCache(parts: { clock: Clock; limits: Limits }): AnswerCache {
  const { clock, limits } = parts;
  // A Map keeps the order of insertion, so taking out and putting back makes an entry the youngest.
  const entries = new Map<string, { answer: Answer; until: number }>();

  return {
    get(question) {
      const key = keyOf(question);
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (entry.until <= clock.now()) return undefined;
      entries.set(key, entry);
      return entry.answer;
    },
    keep(question, answer) {
      const key = keyOf(question);
      const lifeS = lifeInSeconds(answer, limits);
      entries.delete(key);
      if (lifeS <= 0) return;
      entries.set(key, { answer, until: clock.now() + lifeS * 1_000 });
      if (entries.size <= limits.dnsCacheEntries) return;
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
    },
    forgetMissing() {
      for (const [key, entry] of entries) {
        if (entry.answer.lookup.kind === 'no_such_name') entries.delete(key);
      }
    },
  };
}

/** No type and no canonical name holds a space, so two questions never share a key. */
export function keyOf(question: Question): string {
  return `${question.type} ${question.name}`;
}

function lifeInSeconds(answer: Answer, limits: Limits): number {
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
