import type { Clock } from '@mailproof/engine';

/** The store's time: milliseconds since the epoch. */
export type WallClock = { now(): number };

/** How much faster or slower time passes during a correction. */
const mostFaster = 1;
const mostSlower = 0.5;

/**
 * Returns the wall clock's time, which never jumps and never goes back. The monotonic clock advances it. If the
 * system clock is set while the service runs, it follows gradually: at twice the speed after a step forward, at
 * half the speed after a step back. So no lease or deadline ends in less than half its time, and ledger entries
 * stay in order. A clock that was wrong at the start is corrected without a restart.
 */
export function createWallClock(parts: { monotonic: Pick<Clock, 'now'>; wall: WallClock }): WallClock {
  let lookedAt = parts.monotonic.now();
  let time = parts.wall.now();
  return {
    now: () => {
      const at = parts.monotonic.now();
      const elapsed = at - lookedAt;
      lookedAt = at;
      const behind = parts.wall.now() - (time + elapsed);
      time += elapsed + Math.min(Math.max(behind, -mostSlower * elapsed), mostFaster * elapsed);
      return Math.round(time);
    },
  };
}
