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
import type { DnsAnswer, Ask, DnsQuestion, WireLookup } from './question.ts';
import { waitFor } from './wait-for.ts';

type SharedLookup = {
  key: string;
  answer: Promise<DnsAnswer>;
  /** When it has ended by itself, on the clock. */
  endsAt: number;
  callers: number;
  giveUp: () => void;
};

/** What a caller gets whose time is up. */
export const noAnswer: DnsAnswer = { lookup: { kind: 'failed', failure: 'silence' }, ttlS: 0 };

export function cachedResolver(
  begin: (question: DnsQuestion, endsAt: number) => WireLookup,
  parts: { clock: Clock; limits: Limits },
): { ask: Ask; forgetMissing: () => void; lifeMs: (question: DnsQuestion) => number } {
  const { clock, limits } = parts;
  const cache = createAnswerCache(parts);
  const inFlight = new Map<string, SharedLookup>();

  function start(key: string, question: DnsQuestion): SharedLookup {
    const endsAt = clock.now() + limits.dnsLookupMs;
    const { answer, giveUp } = begin(question, endsAt);
    const lookup: SharedLookup = { key, answer: answer.then(keep, fail), endsAt, callers: 0, giveUp };
    inFlight.set(key, lookup);
    return lookup;

    function keep(found: DnsAnswer): DnsAnswer {
      if (inFlight.get(key) !== lookup) return found;
      inFlight.delete(key);
      cache.keep(key, found);
      return found;
    }
    function fail(error: unknown): never {
      if (inFlight.get(key) === lookup) inFlight.delete(key);
      throw error;
    }
  }

  function leave(lookup: SharedLookup): void {
    lookup.callers -= 1;
    if (lookup.callers > 0 || inFlight.get(lookup.key) !== lookup) return;
    inFlight.delete(lookup.key);
    lookup.giveUp();
  }

  const ask: Ask = (question, { deadline, signal }) => {
    // The reason of an abort is whatever its owner gave; callers expect exactly that.
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const key = keyOf(question);
    const kept = cache.get(key);
    if (kept !== undefined) return Promise.resolve(kept);
    if (deadline <= clock.now()) return Promise.resolve(noAnswer);
    const lookup = inFlight.get(key) ?? start(key, question);
    lookup.callers += 1;
    const patience = { deadline: deadline < lookup.endsAt ? deadline : Infinity, signal };
    return waitFor(lookup.answer, { clock, patience, late: noAnswer, left: () => leave(lookup) });
  };

  return {
    ask,
    forgetMissing: () => cache.forgetMissing(),
    lifeMs: (question) => cache.lifeMs(keyOf(question)),
  };
}
