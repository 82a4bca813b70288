import type { Clock } from '@mailproof/engine';

/** Time as the store writes it: milliseconds since the epoch. */
export type WallClock = { now(): number };

/** While a correction is made up for, time passes this much faster or slower than usual. */
const mostFaster = 1;
const mostSlower = 0.5;

/**
 * The wall's time, which never jumps and never goes back. It is carried on by the monotonic clock, and follows a system
 * clock that is set while the service runs gradually: at twice the speed where that was set forward, at half the speed
 * where it was set back. So no lease and no deadline ends in less than half its time, the entries of a ledger stay in
 * order, and a clock that was wrong at the start does not leave them wrong until the next.
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
