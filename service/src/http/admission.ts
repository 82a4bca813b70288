/**
 * Who is let in, decided before a key is looked at or a body is read, because a refusal must cost less
 * than the work it saves.
 *
 * Three things close the door: the service is going down, too many requests of a kind are under way, or
 * the process is late, in its event loop or in what waits for the store. Polling a task is never refused for
 * lateness, since work near completion goes first.
 *
 * A burst over the cap waits a moment for a place rather than being turned away at once, but nobody is made to
 * wait for nothing: from how long places were held lately it is told who would not get one in time, and those
 * are refused when they come.
 *
 * Lateness is judged by windows. Two late windows in a row start the shedding, two punctual ones in a row end it,
 * so that one long garbage collection sheds nothing and recovery does not flap.
 */
/** `account`: the pages of accounts and of the operator, which may wait for everything else. */
export type WorkKind = 'single' | 'bulk' | 'read' | 'account';

export type Admittance =
  { kind: 'admitted'; leave: () => void } | { kind: 'refused'; retryAfterSeconds: number };

export type Admission = {
  admit(kind: WorkKind): Admittance | Promise<Admittance>;
  /** From now on nothing new is let in, and whoever waits for a place is refused. */
  drain(): void;
  isDraining(): boolean;
  /** Resolves once nothing is under way. */
  idle(): Promise<void>;
  /** Takes how the window went that just ended. */
  judgeWindow(window: Window): void;
};

export type Window = {
  /** The longest that the event loop was held up. */
  loopDelayMs: number;
  /** The longest that a write has been waiting for the store. */
  storeWaitMs: number;
};

type AdmissionLimits = {
  inFlight: Record<WorkKind, number>;
  /** How many of a kind may wait for a place, and for how long. */
  waiting: Record<WorkKind, number>;
  waitMs: number;
  /** A window is late for a kind if the loop was delayed, or a write has waited, for longer than this. */
  lateMs: Record<WorkKind, number>;
  storeLateMs: Record<WorkKind, number>;
};

export const admissionLimits: AdmissionLimits = {
  inFlight: { single: 200, bulk: 50, read: 1_000, account: 20 },
  waiting: { single: 800, bulk: 200, read: 2_000, account: 200 },
  waitMs: 2_000,
  lateMs: { single: 400, bulk: 200, read: Infinity, account: 400 },
  storeLateMs: { single: 1_000, bulk: 500, read: Infinity, account: 1_000 },
};

const windowsToChange = 2;
const retryAfterSeconds = { overload: 2, drain: 5 } as const;

type Waiter = { admit(): void; refuse(): void };

export function createAdmission(
  limits: AdmissionLimits = admissionLimits,
  now: () => number = () => performance.now(),
): Admission {
  const doors = {
    single: createDoor('single', limits, now),
    bulk: createDoor('bulk', limits, now),
    read: createDoor('read', limits, now),
    account: createDoor('account', limits, now),
  };
  const all = Object.values(doors);
  let draining = false;

  return {
    admit: (kind) => (draining ? refused('drain') : doors[kind].admit()),
    drain: () => {
      draining = true;
      for (const door of all) door.refuseWaiting();
    },
    isDraining: () => draining,
    idle: async () => {
      await Promise.all(all.map((door) => door.idle()));
    },
    judgeWindow: (window) => {
      for (const door of all) door.judgeWindow(window);
    },
  };
}

function refused(why: keyof typeof retryAfterSeconds): Admittance {
  return { kind: 'refused', retryAfterSeconds: retryAfterSeconds[why] };
}

function createDoor(kind: WorkKind, limits: AdmissionLimits, now: () => number) {
  const queue = new Set<Waiter>();
  const onIdle: (() => void)[] = [];
  const lateness = createLateness();
  const pace = createPace({ places: limits.inFlight[kind], patienceMs: limits.waitMs / 2 });
  let inFlight = 0;

  function enter(): Admittance {
    inFlight += 1;
    const since = now();
    let left = false;
    return {
      kind: 'admitted',
      leave: () => {
        if (left) return;
        left = true;
        inFlight -= 1;
        pace.noteLeaving(since, now());
        const next = queue.values().next().value;
        if (next !== undefined) next.admit();
        else if (inFlight === 0) onIdle.splice(0).forEach((resolve) => resolve());
      },
    };
  }

  function wait(): Promise<Admittance> {
    return new Promise((resolve) => {
      const settle = (admittance: () => Admittance) => {
        clearTimeout(timer);
        queue.delete(waiter);
        resolve(admittance());
      };
      const waiter = { admit: () => settle(enter), refuse: () => settle(() => refused('drain')) };
      const timer = setTimeout(() => settle(() => refused('overload')), limits.waitMs);
      queue.add(waiter);
    });
  }

  return {
    admit(): Admittance | Promise<Admittance> {
      if (lateness.isLate()) return refused('overload');
      if (inFlight < limits.inFlight[kind]) return enter();
      const inTime = queue.size < limits.waiting[kind] && pace.isInTime(queue.size + 1, now());
      return inTime ? wait() : refused('overload');
    },
    refuseWaiting: () => [...queue].forEach((waiter) => waiter.refuse()),
    idle: () =>
      inFlight === 0 ? Promise.resolve() : new Promise<void>((resolve) => void onIdle.push(resolve)),
    judgeWindow: ({ loopDelayMs, storeWaitMs }: Window) =>
      lateness.judge(loopDelayMs > limits.lateMs[kind] || storeWaitMs > limits.storeLateMs[kind]),
  };
}

/** How much the latest holding counts in the mean. */
const newestShare = 0.05;

/**
 * How fast places come free in a full house: as many as there are, in the time that one is held. That is known from
 * the first who leaves, before anybody had to wait. While it is not known, whoever comes may wait.
 */
function createPace({ places, patienceMs }: { places: number; patienceMs: number }) {
  let heldMs: number | undefined;
  let leftAt = -Infinity;
  return {
    noteLeaving(since: number, now: number) {
      heldMs = heldMs === undefined ? now - since : heldMs + newestShare * (now - since - heldMs);
      leftAt = now;
    },
    /** Where nobody has left for as long as one would wait, what was known before holds no more. */
    isInTime(position: number, now: number): boolean {
      if (heldMs === undefined) return true;
      return (position * heldMs) / places <= patienceMs && now - leftAt <= Math.max(patienceMs, heldMs);
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
