import { createBoundedCache, type Clock } from '@mailproof/engine';

/**
 * How often something may happen, counted by the generic cell rate algorithm: so many at once after a time without any,
 * then one more in each interval. It keeps one number a name, and no two windows meet in which twice as much happens.
 */
type CellRates = {
  /**
   * Where a name stands at a moment of the clock: when all that it took is free again, and how long one more would have
   * to wait (0 and less: not at all).
   */
  look(name: string, rate: CellRate, now: number): { until: number; waitMs: number };
  /** Counts one more at the moment that was looked at, and answers when all that was taken is then free again. */
  take(name: string, rate: CellRate, now: number): number;
};

/** One in so many milliseconds, and so many at once. */
export type CellRate = { intervalMs: number; atOnce: number };

type CellRatesParts = {
  clock: Pick<Clock, 'now'>;
  /** Of more names, those that were counted longest ago are forgotten, and with them what they took. */
  mostNames: number;
};

export function createCellRates({ clock, mostNames }: CellRatesParts): CellRates {
  const busyUntil = createBoundedCache<number>({ clock, maxEntries: mostNames });
  const untilOf = (name: string, now: number) => Math.max(busyUntil.get(name) ?? now, now);

  return {
    look(name, { intervalMs, atOnce }, now) {
      const until = untilOf(name, now);
      return { until, waitMs: until - now - (atOnce - 1) * intervalMs };
    },
    take(name, { intervalMs }, now) {
      const until = untilOf(name, now) + intervalMs;
      busyUntil.set(name, until, until - now);
      return until;
    },
  };
}
