/**
 * One lookup in flight per question, shared by all callers that ask meanwhile, and a cache behind it.
 *
 * A shared lookup has the patience of the resolver, not of the caller that started it: a caller that
 * gives up leaves the others their answer. A lookup that no caller waits for any more is cancelled,
 * and what it would have said is not kept.
 */
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { StopSignal } from '../stop.ts';
import { createAnswerCache, keyOf } from './answer-cache.ts';
import type { Ask, DnsAnswer, DnsQuestion, LookupOrder, LookupOwner, WireLookup } from './question.ts';

/** What a caller gets whose time is up. */
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

  /** Those who ask from now on start anew, or get what is kept. A lookup that was given up leaves nothing. */
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
    // It may be over before it has begun, so there is somebody to be told first.
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

/** One who waits for a lookup. */
type Caller = {
  signal: StopSignal;
  resolve: (answer: DnsAnswer) => void;
  reject: (reason: unknown) => void;
  onAbort: () => void;
  cancelTimer: (() => void) | undefined;
  hasLeft: boolean;
};

/** A lookup, and those who wait for it. */
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

  /** As long as the caller's own patience lasts, and without ending the lookup for the others. */
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
      // A lookup that ends by itself in time needs nobody to look at the clock.
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

  /** Its signal has fired, or its time is up. What nobody waits for is called off. */
  private giveUp(caller: Caller): void {
    if (!this.leave(caller)) return;
    if (this.waiting === 0) {
      this.land(this, undefined);
      this.onWire?.giveUp();
    }
    tell(caller, noAnswer);
  }

  /** False for one who has left already. */
  private leave(caller: Caller): boolean {
    if (caller.hasLeft) return false;
    caller.hasLeft = true;
    caller.cancelTimer?.();
    caller.signal.removeEventListener('abort', caller.onAbort);
    this.waiting -= 1;
    return true;
  }
}

/** One whose signal has fired gets the reason of that, whatever there is to tell. */
function tell({ signal, resolve, reject }: Caller, answer: DnsAnswer): void {
  if (signal.aborted) reject(signal.reason);
  else resolve(answer);
}
