import type { Clock } from '@mailproof/engine';

/** Time as the store writes it: milliseconds since the epoch. */
export type WallClock = { now(): number };

/**
 * The wall's time as it was at the start, carried on by the monotonic clock. A system clock that is set
 * forward or back while the service runs neither ends a lease or a deadline early nor stretches it.
 * What it was set to counts from the next start.
 */
export function createWallClock(parts: { monotonic: Pick<Clock, 'now'>; wall: WallClock }): WallClock {
  const offset = parts.wall.now() - parts.monotonic.now();
  return { now: () => Math.round(offset + parts.monotonic.now()) };
}
