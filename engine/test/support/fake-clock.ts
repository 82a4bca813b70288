/** Test support: a clock that moves only when it is told to. */
import type { Clock } from '../../src/clock.ts';

type FakeClock = Clock & { advance(ms: number): void };

export function fakeClock(): FakeClock {
  let now = 1_000;
  const timers = new Set<{ at: number; callback: () => void }>();
  return {
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + Math.max(0, ms), callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const until = now + ms;
      for (;;) {
        const [next] = [...timers]
          .filter((timer) => timer.at <= until)
          .sort((one, other) => one.at - other.at);
        if (next === undefined) break;
        timers.delete(next);
        now = next.at;
        next.callback();
      }
      now = until;
    },
  };
}
