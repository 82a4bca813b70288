import type { Clock } from '../../src/clock.ts';

/** Time for tests: it stands still until it is moved, and a wall clock moves along with it. */
export type TestClock = Clock & {
  /** Milliseconds since 1970. */
  wallClock: { now(): number };
  /** Moves on by `ms`. Each timer that comes due on the way is called at its own time, in order. */
  advance(ms: number): void;
  /** When the next timer is due; undefined if there is none. */
  next(): number | undefined;
  /** Moves to the next timer and calls it. */
  step(): void;
  /** How many timers are set. */
  timers(): number;
};

type Timer = { at: number; callback: () => void };

export function createTestClock(wallStartsAt = Date.UTC(2026, 0, 2, 3, 4, 5)): TestClock {
  let now = 0;
  // A set keeps the order in which timers were set, which is the order of timers due at the same time.
  const timers = new Set<Timer>();

  function earliest(): Timer | undefined {
    let found: Timer | undefined;
    for (const timer of timers) if (found === undefined || timer.at < found.at) found = timer;
    return found;
  }
  function call(timer: Timer): void {
    timers.delete(timer);
    now = Math.max(now, timer.at);
    timer.callback();
  }

  return {
    now: () => now,
    wallClock: { now: () => wallStartsAt + now },
    after(ms, callback) {
      const timer = { at: now + Math.max(0, ms), callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const until = now + ms;
      for (let timer = earliest(); timer !== undefined && timer.at <= until; timer = earliest()) call(timer);
      now = until;
    },
    next: () => earliest()?.at,
    step() {
      const timer = earliest();
      if (timer !== undefined) call(timer);
    },
    timers: () => timers.size,
  };
}
