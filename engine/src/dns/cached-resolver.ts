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

type SharedLookup = {
  key: string;
  answer: Promise<DnsAnswer>;
  /** When it has ended by itself, on the clock. */
  endsAt: number;
  callers: number;
  cancel: AbortController;
};

const noAnswer: DnsAnswer = { lookup: { kind: 'failed', failure: 'silence' }, ttlS: 0 };

export function cachedResolver(
  askWire: Ask,
  parts: { clock: Clock; limits: Limits },
): { ask: Ask; forgetMissing: () => void; lifeMs: (question: DnsQuestion) => number } {
  const { clock, limits } = parts;
  const cache = createAnswerCache(parts);
  const inFlight = new Map<string, SharedLookup>();

  function start(key: string, question: DnsQuestion): SharedLookup {
    const cancel = new AbortController();
    const endsAt = clock.now() + limits.dnsLookupMs;
    const lookup: SharedLookup = { key, answer: run(), endsAt, callers: 0, cancel };
    inFlight.set(key, lookup);
    return lookup;

    async function run(): Promise<DnsAnswer> {
      try {
        const answer = await askWire(question, { deadline: endsAt, signal: cancel.signal });
        if (!cancel.signal.aborted) cache.keep(key, answer);
        return answer;
      } finally {
        if (inFlight.get(key) === lookup) inFlight.delete(key);
      }
    }
  }

  function leave(lookup: SharedLookup): void {
    lookup.callers -= 1;
    if (lookup.callers > 0 || inFlight.get(lookup.key) !== lookup) return;
    inFlight.delete(lookup.key);
    lookup.cancel.abort();
  }

  const ask: Ask = async (question, { deadline, signal }) => {
    signal.throwIfAborted();
    const key = keyOf(question);
    const kept = cache.get(key);
    if (kept !== undefined) return kept;
    if (deadline <= clock.now()) return noAnswer;
    const lookup = inFlight.get(key) ?? start(key, question);
    lookup.callers += 1;
    const patience = { deadline: deadline < lookup.endsAt ? deadline : Infinity, signal };
    try {
      return await waitFor(lookup.answer, { clock, patience, late: noAnswer });
    } finally {
      leave(lookup);
    }
  };

  return {
    ask,
    forgetMissing: () => cache.forgetMissing(),
    lifeMs: (question) => cache.lifeMs(keyOf(question)),
  };
}
