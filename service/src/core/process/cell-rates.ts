import { createBoundedCache, type Clock } from '@mailproof/engine';

/**
 * Rate limits by the generic cell rate algorithm: a burst after a pause, then one more per interval. It stores one
 * number per name, and unlike windows it never allows twice the rate.
 */
type CellRates = {
  /**
   * Returns the state of a name: when everything it took is free again, and how long one more must wait (≤ 0: no
   * wait).
   */
  look(name: string, rate: CellRate, now: number): { until: number; waitMs: number };
  /** Counts one more at the given time, and returns when everything taken is free again. */
  take(name: string, rate: CellRate, now: number): number;
};

/** One per interval, with a burst of `atOnce`. */
export type CellRate = { intervalMs: number; atOnce: number };

type CellRatesParts = {
  clock: Pick<Clock, 'now'>;
  /** Beyond this number, the names counted longest ago are forgotten, with their counts. */
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
