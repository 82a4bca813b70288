/**
 * One lookup in flight per question, shared by all who ask meanwhile, and a cache behind it.
 *
 * A flight has the patience of the resolver, not of the one who started it: an asker who gives up
 * leaves the others their answer. A flight that nobody waits for any more is called off, and what
 * it would have said is not kept.
 */
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { createAnswerCache, keyOf } from './answer-cache.ts';
import type { DnsAnswer, Ask, DnsQuestion } from './question.ts';
import { waitFor } from './wait-for.ts';

type Flight = { answer: Promise<DnsAnswer>; askers: number; callOff: AbortController };

const nothingHeard: DnsAnswer = { lookup: { kind: 'failed', failure: 'silence' }, ttlS: 0 };

export function cachedResolver(
  askWire: Ask,
  parts: { clock: Clock; limits: Limits },
): { ask: Ask; forgetMissing: () => void; lifeMs: (question: DnsQuestion) => number } {
  const { clock, limits } = parts;
  const cache = createAnswerCache(parts);
  const flights = new Map<string, Flight>();

  function depart(question: DnsQuestion): Flight {
    const key = keyOf(question);
    const callOff = new AbortController();
    const flight: Flight = { answer: fly(), askers: 0, callOff };
    flights.set(key, flight);
    return flight;

    async function fly(): Promise<DnsAnswer> {
      try {
        const answer = await askWire(question, {
          deadline: clock.now() + limits.dnsLookupMs,
          signal: callOff.signal,
        });
        if (!callOff.signal.aborted) cache.keep(question, answer);
        return answer;
      } finally {
        if (flights.get(key) === flight) flights.delete(key);
      }
    }
  }

  const ask: Ask = async (question, patience) => {
    patience.signal.throwIfAborted();
    const kept = cache.get(question);
    if (kept !== undefined) return kept;
    if (patience.deadline <= clock.now()) return nothingHeard;
    const flight = flights.get(keyOf(question)) ?? depart(question);
    flight.askers += 1;
    try {
      return await waitFor(flight.answer, { clock, patience, late: nothingHeard });
    } finally {
      flight.askers -= 1;
      if (flight.askers === 0 && flights.get(keyOf(question)) === flight) {
        flights.delete(keyOf(question));
        flight.callOff.abort();
      }
    }
  };

  return { ask, forgetMissing: () => cache.forgetMissing(), lifeMs: (question) => cache.lifeMs(question) };
}
