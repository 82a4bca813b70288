import type { Clock } from '@mailproof/engine';
import type { WallClock } from '../../src/db/wall-clock.ts';

/** Time that moves only when told to. Timers that come due are called in order. */
export type ManualTime = {
  clock: Clock;
  wallClock: WallClock;
  /** Moves both clocks on. */
  advance: (ms: number) => void;
  timers: () => number;
};

export function createManualTime(startsAt = Date.UTC(2026, 0, 2, 3, 4, 5)): ManualTime {
  let elapsed = 0;
  const timers = new Set<{ at: number; callback: () => void }>();

  function runDue(): void {
    for (;;) {
      const [next] = [...timers].filter((timer) => timer.at <= elapsed).sort((a, b) => a.at - b.at);
      if (next === undefined) return;
      timers.delete(next);
      next.callback();
    }
  }

  return {
    clock: {
      now: () => elapsed,
      after: (ms, callback) => {
        const timer = { at: elapsed + Math.max(0, ms), callback };
        timers.add(timer);
        return () => timers.delete(timer);
      },
    },
    wallClock: { now: () => startsAt + elapsed },
    advance: (ms) => {
      elapsed += ms;
      runDue();
    },
    timers: () => timers.size,
  };
}
