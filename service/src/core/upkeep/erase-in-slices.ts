import { createGroupSize } from '../store/groups/group-size.ts';
import { StoreUnavailableError } from '../store/store-unavailable-error.ts';
import { othersFirst } from '../store/others-first.ts';
import type { Tx } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { WallClock } from '../store/wall-clock.ts';

/**
 * Erases what has expired in slices that are done in a moment, since others wait for whoever writes: it begins with a
 * small one, after one that took long, its commit included, the next is half of what would have been quick, and after a
 * quick one twice as large. It goes on until nothing is left or its share of a second is used up.
 *
 * Nobody knows beforehand which one meets cold pages, a checkpoint or a vacuum. So the store undoes one that takes long,
 * and it is tried again with the fewest rows, then with one, which has all the time it needs: something always goes.
 *
 * Of what a crash undoes the next sweep finds all that has expired, so no slice holds its locks until the disk has it.
 */
type EraseSlice = (tx: Tx, now: number, most: number) => Promise<number>;

type EraseParts = {
  store: Pick<Store, 'writeRepeatable' | 'writeBriefly' | 'carryOver'>;
  wallClock: WallClock;
};

type EraserOptions = {
  /** The most rows that are erased at once, where it is quick. */
  most: number;
  /** Slices with the same run one after the other, over all processes. */
  serialKey: string;
  monotonic?: { now(): number };
};

/** Much less than the 50 ms that others may have to wait: what a busy disk adds comes on top. */
const longSliceMs = 20;
/** Of the second between two sweeps. Others have their turn after every slice. */
const shareMs = 500;
/** What so many slices write is carried over before the next, or the commit of somebody else would have to. */
const slicesCarriedOver = 8;
/** Rows may be large and the disk slow, and a process that has just started knows neither. */
const firstRows = 50;
/** Where so few take long it is the disk, and fewer would only have it wait more often. */
const leastRows = 20;

/** Says how much was erased. */
export function createEraser(
  erase: EraseSlice,
  { most, serialKey, monotonic = performance }: EraserOptions,
): (parts: EraseParts) => Promise<number> {
  const size = createGroupSize({
    most,
    longMs: longSliceMs,
    first: Math.min(most, firstRows),
    least: Math.min(most, leastRows),
    shrinksToFit: true,
  });

  async function eraseSlice({ store, wallClock }: EraseParts, rows: number): Promise<number> {
    const write = rows === 1 ? store.writeRepeatable : store.writeBriefly;
    const { count, startedAt } = await write(async (tx) => {
      const startedAt = monotonic.now();
      return { count: await erase(tx, wallClock.now(), rows), startedAt };
    }, serialKey);
    // One that had to be smaller tells nothing of what the next may be.
    if (count > 0 && rows >= size.now()) size.note(monotonic.now() - startedAt);
    return count;
  }

  async function eraseNext(parts: EraseParts): Promise<number> {
    for (let rows = size.now(); ;) {
      try {
        return await eraseSlice(parts, rows);
      } catch (error) {
        if (rows === 1 || !wasUndone(error)) throw error;
        // Nobody knows how long it would have taken.
        size.note(Infinity);
        rows = rows > size.now() ? size.now() : 1;
        await othersFirst();
      }
    }
  }

  return async (parts) => {
    const until = monotonic.now() + shareMs;
    let erased = 0;
    let slices = 0;
    do {
      const count = await eraseNext(parts);
      if (count === 0) break;
      erased += count;
      slices += 1;
      if (slices % slicesCarriedOver === 0) await parts.store.carryOver();
      else await othersFirst();
    } while (monotonic.now() < until);
    return erased;
  };
}

function wasUndone(error: unknown): boolean {
  return error instanceof StoreUnavailableError && error.fault === 'slow';
}
