/**
 * Refuses what the service cannot handle now, before a key is looked at or a body is read, because a refusal must cost
 * less than the work it saves.
 *
 * A request is refused when the service is shutting down, when too many requests of its kind are in flight, or when the
 * process is late, in its event loop or in what waits for the store. Polling a task is never refused for lateness,
 * since work near completion goes first.
 *
 * A burst over the limit waits briefly instead of being refused at once. A request that would not be admitted in time,
 * judging by how long recent ones took, is refused on arrival instead of being kept waiting for nothing.
 *
 * Lateness is judged by windows. Two late windows in a row start the shedding, two punctual ones in a row end it,
 * so that one long garbage collection sheds nothing and recovery does not flap.
 */
/** `upload`: the file of a list, which takes its time. `account`: the pages of accounts and of the operator, which may wait for everything else. */
export type WorkKind = 'single' | 'bulk' | 'upload' | 'read' | 'account';

export type AdmitAnswer =
  { kind: 'admitted'; release: () => void } | { kind: 'refused'; retryAfterSeconds: number };

export type OverloadGuard = {
  admit(kind: WorkKind): AdmitAnswer | Promise<AdmitAnswer>;
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
  inFlight: { single: 200, bulk: 50, upload: 20, read: 1_000, account: 20 },
  waiting: { single: 800, bulk: 200, upload: 20, read: 2_000, account: 200 },
  waitMs: 2_000,
  lateMs: { single: 400, bulk: 200, upload: 200, read: Infinity, account: 400 },
  storeLateMs: { single: 1_000, bulk: 500, upload: 500, read: Infinity, account: 1_000 },
};

const windowsToChange = 2;
const retryAfterSeconds = { overload: 2, drain: 5 } as const;

type WaitingRequest = { admit(): void; refuse(): void };

export function createOverloadGuard(
  limits: OverloadLimits = overloadLimits,
  now: () => number = () => performance.now(),
): OverloadGuard {
  const queues = {
    single: createRequestQueue('single', limits, now),
    bulk: createRequestQueue('bulk', limits, now),
    upload: createRequestQueue('upload', limits, now),
    read: createRequestQueue('read', limits, now),
    account: createRequestQueue('account', limits, now),
  };
  const all = Object.values(queues);
  let draining = false;

  return {
    admit: (kind) => (draining ? refused('drain') : queues[kind].admit()),
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
  return { kind: 'refused', retryAfterSeconds: retryAfterSeconds[why] };
}

function createRequestQueue(kind: WorkKind, limits: OverloadLimits, now: () => number) {
  const queue = new Set<WaitingRequest>();
  const onIdle: (() => void)[] = [];
  const lateness = createLateness();
  const estimate = createWaitEstimate({ places: limits.inFlight[kind], patienceMs: limits.waitMs / 2 });
  let inFlight = 0;

  function admitNow(): AdmitAnswer {
    inFlight += 1;
    const since = now();
    let released = false;
    return {
      kind: 'admitted',
      release: () => {
        if (released) return;
        released = true;
        inFlight -= 1;
        estimate.noteRelease(since, now());
        const next = queue.values().next().value;
        if (next !== undefined) next.admit();
        else if (inFlight === 0) onIdle.splice(0).forEach((resolve) => resolve());
      },
    };
  }

  function wait(): Promise<AdmitAnswer> {
    return new Promise((resolve) => {
      const settle = (answer: () => AdmitAnswer) => {
        clearTimeout(timer);
        queue.delete(waiting);
        resolve(answer());
      };
      const waiting = { admit: () => settle(admitNow), refuse: () => settle(() => refused('drain')) };
      const timer = setTimeout(() => settle(() => refused('overload')), limits.waitMs);
      queue.add(waiting);
    });
  }

  return {
    admit(): AdmitAnswer | Promise<AdmitAnswer> {
      if (lateness.isLate()) return refused('overload');
      if (inFlight < limits.inFlight[kind]) return admitNow();
      const inTime = queue.size < limits.waiting[kind] && estimate.isInTime(queue.size + 1, now());
      return inTime ? wait() : refused('overload');
    },
    refuseWaiting: () => [...queue].forEach((waiting) => waiting.refuse()),
    idle: () =>
      inFlight === 0 ? Promise.resolve() : new Promise<void>((resolve) => void onIdle.push(resolve)),
    judgeWindow: ({ loopDelayMs, storeWaitMs }: LoadFigures) =>
      lateness.judge(loopDelayMs > limits.lateMs[kind] || storeWaitMs > limits.storeLateMs[kind]),
  };
}

/** How much the latest request counts in the mean. */
const newestShare = 0.05;

/**
 * Estimates how soon a waiting request would be admitted: when all places are taken, as many come free as there are in
 * the time that one is held. That is known from the first release, before any request had to wait. Until then, every
 * request may wait.
 */
function createWaitEstimate({ places, patienceMs }: { places: number; patienceMs: number }) {
  let heldMs: number | undefined;
  let releasedAt = -Infinity;
  return {
    noteRelease(since: number, now: number) {
      heldMs = heldMs === undefined ? now - since : heldMs + newestShare * (now - since - heldMs);
      releasedAt = now;
    },
    /** When nothing was released for as long as a request would wait, the estimate no longer holds. */
    isInTime(position: number, now: number): boolean {
      if (heldMs === undefined) return true;
      return (position * heldMs) / places <= patienceMs && now - releasedAt <= Math.max(patienceMs, heldMs);
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
