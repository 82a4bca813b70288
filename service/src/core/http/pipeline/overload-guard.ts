import { createBoundedCache, createFairSlots, systemClock, type Clock, type Slot } from '@mailproof/engine';
import { createFairShare, type FairShare } from './fair-share.ts';

/**
 * Refuses what the service cannot handle now, because a refusal must cost less than the work it saves.
 *
 * A request is refused when the service is shutting down, when too many requests of its kind are in flight, or when the
 * process is late, in its event loop or in what waits for the store. Polling a task is never refused for lateness,
 * since work near completion goes first.
 *
 * Nobody shuts out others: each account, and each client address while the account is not known, has its share of the
 * places and of the queue, and those who wait are served in turn. A burst over the limit waits briefly instead of being
 * refused at once. A request that would not be admitted in time, judging by how long the asker's recent ones took, is
 * refused on arrival instead of being kept waiting for nothing.
 *
 * Lateness is judged by windows. Two late windows in a row start the shedding, two punctual ones in a row end it,
 * so that one long garbage collection sheds nothing and recovery does not flap.
 */
/** `upload`: the file of a list, which takes its time. `prober`: what probers ask and report, without whom nothing ends. `account`: the pages of accounts and of the operator, which may wait for everything else. `form`: what sign-up forms ask. */
export type WorkKind = 'single' | 'bulk' | 'upload' | 'read' | 'prober' | 'account' | 'form';

export type AdmitAnswer =
  | { kind: 'admitted'; release: () => void }
  | { kind: 'refused'; why: 'overload' | 'draining'; retryAfterSeconds: number };

export type OverloadGuard = {
  /** Whether `admit` would give a place at once. */
  hasPlace(kind: WorkKind, asker: string): boolean;
  /** `asker`: the account, or the client's address. */
  admit(kind: WorkKind, asker: string): AdmitAnswer | Promise<AdmitAnswer>;
  /** From now on nothing is admitted, and every request that waits is refused. */
  drain(): void;
  isDraining(): boolean;
  /** Resolves once nothing is in flight. */
  idle(): Promise<void>;
  /** Takes the figures of the window that just ended. */
  judgeWindow(figures: LoadFigures): void;
};

type LoadFigures = {
  /** The longest that the event loop was held up. */
  loopDelayMs: number;
  /** The longest that a write has been waiting for the store. */
  storeWaitMs: number;
};

type OverloadLimits = {
  inFlight: Record<WorkKind, number>;
  /** How many of a kind may wait, and for how long. */
  waiting: Record<WorkKind, number>;
  waitMs: number;
  /** A window is late for a kind if the loop was delayed, or a write has waited, for longer than this. */
  lateMs: Record<WorkKind, number>;
  storeLateMs: Record<WorkKind, number>;
};

export const overloadLimits: OverloadLimits = {
  inFlight: { single: 200, bulk: 50, upload: 20, read: 1_000, prober: 1_000, account: 20, form: 200 },
  waiting: { single: 1_100, bulk: 270, upload: 30, read: 2_800, prober: 1_000, account: 260, form: 200 },
  waitMs: 2_000,
  lateMs: { single: 400, bulk: 200, upload: 200, read: Infinity, prober: Infinity, account: 400, form: 200 },
  storeLateMs: {
    single: 1_000,
    bulk: 500,
    upload: 500,
    read: Infinity,
    prober: Infinity,
    account: 1_000,
    form: 500,
  },
};

const windowsToChange = 2;
const retryAfterSeconds = { overload: 2, draining: 5 } as const;

export function createOverloadGuard(
  limits: OverloadLimits = overloadLimits,
  clock: Clock = systemClock,
): OverloadGuard {
  const queues = {
    single: createRequestQueue('single', limits, clock),
    bulk: createRequestQueue('bulk', limits, clock),
    upload: createRequestQueue('upload', limits, clock),
    read: createRequestQueue('read', limits, clock),
    prober: createRequestQueue('prober', limits, clock),
    account: createRequestQueue('account', limits, clock),
    form: createRequestQueue('form', limits, clock),
  };
  const all = Object.values(queues);
  let draining = false;

  return {
    hasPlace: (kind, asker) => !draining && queues[kind].hasPlace(asker),
    admit: (kind, asker) => (draining ? refused('draining') : queues[kind].admit(asker)),
    drain: () => {
      draining = true;
      for (const queue of all) queue.refuseWaiting();
    },
    isDraining: () => draining,
    idle: async () => {
      await Promise.all(all.map((queue) => queue.idle()));
    },
    judgeWindow: (figures) => {
      for (const queue of all) queue.judgeWindow(figures);
    },
  };
}

function refused(why: keyof typeof retryAfterSeconds): AdmitAnswer {
  return { kind: 'refused', why, retryAfterSeconds: retryAfterSeconds[why] };
}

function createRequestQueue(kind: WorkKind, limits: OverloadLimits, clock: Clock) {
  const inFlight = createFairShare(limits.inFlight[kind]);
  const waiting = createFairShare(limits.waiting[kind]);
  const waiters = new Set<AbortController>();
  const onIdle: (() => void)[] = [];
  const lateness = createLateness();
  const estimate = createWaitEstimate({ inFlight, clock, patienceMs: limits.waitMs / 2 });
  const places = createFairSlots({
    clock,
    rule: { hasRoom: () => true, hasShare: (asker) => inFlight.mayTake(asker) },
    onTaken: ({ account }) => inFlight.take(account),
    onReleased: ({ account }) => {
      inFlight.giveBack(account);
      if (onIdle.length > 0 && inFlight.held() === 0) onIdle.splice(0).forEach((resolve) => resolve());
    },
  });

  function answer(slot: Slot, asker: string): AdmitAnswer {
    if (slot.kind === 'timeout') return refused('overload');
    const since = clock.now();
    estimate.noteTake(asker);
    let released = false;
    return {
      kind: 'admitted',
      release: () => {
        if (released) return;
        released = true;
        estimate.noteRelease(asker, since);
        slot.release();
      },
    };
  }

  async function wait(asker: string): Promise<AdmitAnswer> {
    const waiter = new AbortController();
    waiters.add(waiter);
    waiting.take(asker);
    try {
      const patience = { deadline: clock.now() + limits.waitMs, signal: waiter.signal };
      return answer(await places.take(askerOf(asker), patience), asker);
    } catch (error) {
      if (!waiter.signal.aborted) throw error;
      return refused('draining');
    } finally {
      waiting.giveBack(asker);
      waiters.delete(waiter);
    }
  }

  return {
    hasPlace: (asker: string): boolean => !lateness.isLate() && inFlight.mayTake(asker),
    admit(asker: string): AdmitAnswer | Promise<AdmitAnswer> {
      if (lateness.isLate()) return refused('overload');
      const slot = places.takeNow(askerOf(asker));
      if (slot !== undefined) return answer(slot, asker);
      const mayWait = waiting.mayTake(asker) && estimate.isInTime(asker, waiting.heldBy(asker) + 1);
      return mayWait ? wait(asker) : refused('overload');
    },
    refuseWaiting: () => waiters.forEach((waiter) => waiter.abort()),
    idle: () =>
      inFlight.held() === 0 ? Promise.resolve() : new Promise<void>((resolve) => void onIdle.push(resolve)),
    judgeWindow: ({ loopDelayMs, storeWaitMs }: LoadFigures) =>
      lateness.judge(loopDelayMs > limits.lateMs[kind] || storeWaitMs > limits.storeLateMs[kind]),
  };
}

/** Requests of one kind are all equally urgent. */
function askerOf(account: string): { urgency: 'single'; account: string } {
  return { urgency: 'single', account };
}

/** How much the latest request counts in the mean. */
const newestShare = 0.05;
const askersKnown = 10_000;

type WaitEstimateParts = { inFlight: FairShare; clock: Pick<Clock, 'now'>; patienceMs: number };

/**
 * Estimates how soon a waiting request would be admitted: as many of the asker's places come free as it has in the time
 * that it holds one. That is known from its first release, before any request had to wait. Until then, and while it has
 * no place at all, every request may wait.
 */
function createWaitEstimate({ inFlight, clock, patienceMs }: WaitEstimateParts) {
  const known = createBoundedCache<{ heldMs: number; releasedAt: number }>({ maxEntries: askersKnown });
  return {
    /** While an asker held no place there was nothing to release, which says nothing about those it takes now. */
    noteTake(asker: string) {
      const seen = inFlight.heldBy(asker) === 1 ? known.peek(asker) : undefined;
      if (seen !== undefined) seen.releasedAt = clock.now();
    },
    /** Every request comes here twice, so what is known of an asker is changed in place. */
    noteRelease(asker: string, since: number) {
      const now = clock.now();
      const seen = known.peek(asker);
      if (seen === undefined) known.set(asker, { heldMs: now - since, releasedAt: now });
      else {
        seen.heldMs += newestShare * (now - since - seen.heldMs);
        seen.releasedAt = now;
      }
    },
    /** When nothing was released for as long as a request would wait, the estimate no longer holds. */
    isInTime(asker: string, position: number): boolean {
      const places = inFlight.heldBy(asker);
      const seen = known.peek(asker);
      if (seen === undefined || places === 0) return true;
      const { heldMs, releasedAt } = seen;
      const isStuck = clock.now() - releasedAt > Math.max(patienceMs, heldMs);
      return (position * heldMs) / places <= patienceMs && !isStuck;
    },
  };
}

function createLateness() {
  let late = false;
  let windowsAgainst = 0;
  return {
    isLate: () => late,
    judge(windowLate: boolean) {
      windowsAgainst = windowLate === late ? 0 : windowsAgainst + 1;
      if (windowsAgainst < windowsToChange) return;
      late = !late;
      windowsAgainst = 0;
    },
  };
}
