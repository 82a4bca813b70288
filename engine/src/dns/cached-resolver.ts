/**
 * A cache of answers, and one lookup in flight per question, shared by all callers that ask meanwhile.
 *
 * A shared lookup has the patience of the resolver, not of the caller that started it: a caller that gives up leaves
 * the others their answer. A lookup that no caller waits for any more is cancelled, and its answer is not kept.
 */
import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { Patience, StopSignal } from '../patience.ts';
import type { Ask, DnsAnswer, DnsQuestion, LookupOrder, LookupOwner, WireLookup } from './lookup.ts';

/** The answer for a caller whose time is up. */
export const noAnswer: DnsAnswer = { lookup: { kind: 'failed', failure: 'silence' }, ttlS: 0 };

export function cachedResolver(
  begin: (order: LookupOrder) => WireLookup,
  parts: { clock: Clock; limits: Limits },
): {
  ask: Ask;
  forgetMissing: () => void;
  forgetAll: () => void;
  lifeMs: (question: DnsQuestion) => number;
} {
  const { clock, limits } = parts;
  const cache = createAnswerCache(parts);
  const inFlight = new Map<string, SharedLookup>();

  /**
   * Ends a shared lookup: later callers start anew, or get the kept answer. A lookup that was given up leaves no
   * answer.
   */
  function land(lookup: SharedLookup, answer: DnsAnswer | undefined): void {
    if (inFlight.get(lookup.key) !== lookup) return;
    inFlight.delete(lookup.key);
    if (answer !== undefined) cache.keep(lookup.key, answer);
  }

  const ask: Ask = (question, patience) => {
    const { deadline, signal } = patience;
    // The reason of an abort is whatever its owner gave; callers expect exactly that.
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    const key = keyOf(question);
    const kept = cache.get(key);
    if (kept !== undefined) return Promise.resolve(kept);
    const now = clock.now();
    if (deadline <= now) return Promise.resolve(noAnswer);
    const shared = inFlight.get(key);
    if (shared !== undefined) return shared.wait(patience, clock);
    const lookup = new SharedLookup(key, now + limits.dnsLookupMs, land);
    inFlight.set(key, lookup);
    // The caller waits before the lookup begins, because a lookup may end at once.
    const answer = lookup.wait(patience, clock);
    try {
      lookup.onWire = begin({ question, endsAt: lookup.endsAt, owner: lookup });
    } catch (error) {
      lookup.broke(error);
    }
    return answer;
  };

  return {
    ask,
    forgetMissing: () => cache.forgetMissing(),
    forgetAll: () => cache.forgetAll(),
    lifeMs: (question) => cache.lifeMs(keyOf(question)),
  };
}

/** A caller that waits for a lookup. */
type Caller = {
  signal: StopSignal;
  resolve: (answer: DnsAnswer) => void;
  reject: (reason: unknown) => void;
  onAbort: () => void;
  cancelTimer: (() => void) | undefined;
  hasLeft: boolean;
};

/** A lookup, and the callers that wait for it. */
class SharedLookup implements LookupOwner {
  readonly key: string;
  /** When it has ended by itself, on the clock. */
  readonly endsAt: number;
  onWire: WireLookup | undefined = undefined;
  private readonly land: (lookup: SharedLookup, answer: DnsAnswer | undefined) => void;
  private callers: Caller[] | undefined = undefined;
  private waiting = 0;

  constructor(key: string, endsAt: number, land: SharedLookup['land']) {
    this.key = key;
    this.endsAt = endsAt;
    this.land = land;
  }

  /** Waits as long as the caller's own patience lasts, without ending the lookup for the others. */
  wait({ deadline, signal }: Patience, clock: Clock): Promise<DnsAnswer> {
    return new Promise((resolve, reject) => {
      const caller: Caller = {
        signal,
        resolve,
        reject,
        onAbort: () => this.giveUp(caller),
        cancelTimer: undefined,
        hasLeft: false,
      };
      // A lookup that ends in time by itself needs no timer.
      if (deadline < this.endsAt)
        caller.cancelTimer = clock.after(deadline - clock.now(), () => this.giveUp(caller));
      signal.addEventListener('abort', caller.onAbort);
      this.waiting += 1;
      if (this.callers === undefined) this.callers = [caller];
      else this.callers.push(caller);
    });
  }

  answered(answer: DnsAnswer): void {
    this.land(this, answer);
    this.callers?.forEach((caller) => {
      if (this.leave(caller)) tell(caller, answer);
    });
  }

  broke(error: unknown): void {
    this.land(this, undefined);
    this.callers?.forEach((caller) => {
      if (this.leave(caller)) caller.reject(error);
    });
  }

  /** Lets a caller go whose signal has fired or whose time is up. A lookup without callers is called off. */
  private giveUp(caller: Caller): void {
    if (!this.leave(caller)) return;
    if (this.waiting === 0) {
      this.land(this, undefined);
      this.onWire?.giveUp();
    }
    tell(caller, noAnswer);
  }

  /** Returns false if the caller has left already. */
  private leave(caller: Caller): boolean {
    if (caller.hasLeft) return false;
    caller.hasLeft = true;
    caller.cancelTimer?.();
    caller.signal.removeEventListener('abort', caller.onAbort);
    this.waiting -= 1;
    return true;
  }
}

/** Gives a caller its answer, or the reason of its signal if that has fired. */
function tell({ signal, resolve, reject }: Caller, answer: DnsAnswer): void {
  if (signal.aborted) reject(signal.reason);
  else resolve(answer);
}

/** Answers by the key of their question, kept as long as their zone allows and no longer than our limits. */
type AnswerCache = {
  get(key: string): DnsAnswer | undefined;
  keep(key: string, answer: DnsAnswer): void;
  /** How much longer the answer is kept; 0 if there is none. */
  lifeMs(key: string): number;
  /** Drops every denial: called when the resolver turned out to deny what exists. */
  forgetMissing(): void;
  /** Drops every answer: called when such a resolver has recovered. */
  forgetAll(): void;
};

function createAnswerCache(parts: { clock: Clock; limits: Limits }): AnswerCache {
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

/** Returns the key of an answer. No type and no canonical name holds a space, so two questions never share a key. */
function keyOf(question: DnsQuestion): string {
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
