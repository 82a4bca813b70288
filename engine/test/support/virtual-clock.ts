import type { Clock } from '../../src/clock.ts';

/** A clock for tests that live through a day in seconds: it stands still until it is moved to its next timer. */
export type VirtualClock = Clock & {
  /** When the next timer is due; undefined where there is none. */
  next(): number | undefined;
  /** Moves to the next timer and rings it. */
  step(): void;
};

export function createVirtualClock(): VirtualClock {
  let now = 0;
  let latest = 0;
  const timers = new Map<number, { at: number; callback: () => void }>();

  /** By due time, and among equals in the order they were set. */
  function earliest(): [number, { at: number; callback: () => void }] | undefined {
    let found: [number, { at: number; callback: () => void }] | undefined;
    for (const entry of timers) if (found === undefined || entry[1].at < found[1].at) found = entry;
    return found;
  }

  return {
    now: () => now,
    after(ms, callback) {
      const id = (latest += 1);
      timers.set(id, { at: now + Math.max(0, ms), callback });
      return () => void timers.delete(id);
    },
    next: () => earliest()?.[1].at,
    step() {
      const found = earliest();
      if (found === undefined) return;
      timers.delete(found[0]);
      now = Math.max(now, found[1].at);
      found[1].callback();
    },
  };
}
