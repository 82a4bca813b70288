import { createGroupSize } from '../db/groups/group-size.ts';
import { othersFirst } from '../db/others-first.ts';
import type { Tx } from '../db/statement.ts';
import type { Store } from '../db/store.ts';
import type { WallClock } from '../db/wall-clock.ts';

/**
 * Erases what has expired in slices that are done in a moment, since others wait for whoever writes: it begins with a
 * small one, after one that took long, its commit included, the next is half as large, and after a quick one twice as
 * large. It goes on until nothing is left or its share of a second is used up.
 */
type EraseSlice = (tx: Tx, now: number, most: number) => Promise<number>;

type EraseParts = { store: Pick<Store, 'write' | 'carryOver'>; wallClock: WallClock };

type EraserOptions = {
  /** The most rows that are erased at once, where it is quick. */
  most: number;
  /** Slices with the same run one after the other, over all processes. */
  serialKey: string;
  monotonic?: { now(): number };
};

/** Half of what may pass until others are served. */
const longSliceMs = 25;
/** Of the second between two sweeps. Others have their turn after every slice. */
const shareMs = 500;
/** What so many slices write is carried over before the next, or the commit of somebody else would have to. */
const slicesCarriedOver = 8;
/** Rows may be large and the disk slow, and a process that has just started knows neither. */
const firstRows = 50;

/** Says how much was erased. */
export function createEraser(
  erase: EraseSlice,
  { most, serialKey, monotonic = performance }: EraserOptions,
): (parts: EraseParts) => Promise<number> {
  const size = createGroupSize({ most, longMs: longSliceMs, first: Math.min(most, firstRows) });
  return async ({ store, wallClock }) => {
    const until = monotonic.now() + shareMs;
    let erased = 0;
    let slices = 0;
    do {
      const slice = await store.write(async (tx) => {
        const startedAt = monotonic.now();
        return { count: await erase(tx, wallClock.now(), size.now()), startedAt };
      }, serialKey);
      if (slice.count === 0) break;
      erased += slice.count;
      size.note(monotonic.now() - slice.startedAt);
      slices += 1;
      if (slices % slicesCarriedOver === 0) await store.carryOver();
      else await othersFirst();
    } while (monotonic.now() < until);
    return erased;
  };
}
