/**
 * One lookup in flight per question, shared by all callers that ask meanwhile, and a cache behind it.
 *
 * A shared lookup has the patience of the resolver, not of the caller that started it: a caller that
 * gives up leaves the others their answer. A lookup that no caller waits for any more is cancelled,
 * and what it would have said is not kept.
 */
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { createAnswerCache, keyOf } from './answer-cache.ts';
import type { DnsAnswer, Ask, DnsQuestion } from './question.ts';
import { waitFor } from './wait-for.ts';

type SharedLookup = { answer: Promise<DnsAnswer>; callers: number; cancel: AbortController };

const noAnswer: DnsAnswer = { lookup: { kind: 'failed', failure: 'silence' }, ttlS: 0 };

export function cachedResolver(
  askWire: Ask,
  parts: { clock: Clock; limits: Limits },
): { ask: Ask; forgetMissing: () => void; lifeMs: (question: DnsQuestion) => number } {
  const { clock, limits } = parts;
  const cache = createAnswerCache(parts);
  const inFlight = new Map<string, SharedLookup>();

  function start(question: DnsQuestion): SharedLookup {
    const key = keyOf(question);
    const cancel = new AbortController();
    const lookup: SharedLookup = { answer: run(), callers: 0, cancel };
    inFlight.set(key, lookup);
    return lookup;

    async function run(): Promise<DnsAnswer> {
      try {
        const answer = await askWire(question, {
          deadline: clock.now() + limits.dnsLookupMs,
          signal: cancel.signal,
        });
        if (!cancel.signal.aborted) cache.keep(question, answer);
        return answer;
      } finally {
        if (inFlight.get(key) === lookup) inFlight.delete(key);
      }
    }
  }

  const ask: Ask = async (question, patience) => {
    patience.signal.throwIfAborted();
    const kept = cache.get(question);
    if (kept !== undefined) return kept;
    if (patience.deadline <= clock.now()) return noAnswer;
    const lookup = inFlight.get(keyOf(question)) ?? start(question);
    lookup.callers += 1;
    try {
      return await waitFor(lookup.answer, { clock, patience, late: noAnswer });
    } finally {
      lookup.callers -= 1;
      if (lookup.callers === 0 && inFlight.get(keyOf(question)) === lookup) {
        inFlight.delete(keyOf(question));
        lookup.cancel.abort();
      }
    }
  };

  return { ask, forgetMissing: () => cache.forgetMissing(), lifeMs: (question) => cache.lifeMs(question) };
}
