import { createGroupSize } from '../store/groups/group-size.ts';
import { StoreUnavailableError } from '../store/store-unavailable-error.ts';
import { othersFirst } from '../store/others-first.ts';
import type { Tx } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { WallClock } from '../store/wall-clock.ts';

/**
 * Erases expired rows in short slices, because other writers wait meanwhile. It begins with a small slice. After a
 * slow one, commit included, the next is half of the size that would have been quick; after a quick one, twice the
 * size. It goes on until no row is left or its share of a second is used up.
 *
 * A slice may meet cold pages, a checkpoint or a vacuum, which cannot be foreseen. So the store undoes a slow
 * slice, and it is tried again with the fewest rows, then with one row without a limit: some progress is always
 * made.
 *
 * If a crash undoes a slice, the next sweep finds the expired rows again. So no slice holds its locks until the
 * disk has it.
 */
type EraseSlice = (tx: Tx, now: number, most: number) => Promise<number>;

type EraseParts = {
  store: Pick<Store, 'writeRepeatable' | 'writeBriefly' | 'carryOver'>;
  wallClock: WallClock;
};

type EraserOptions = {
  /** The most rows of one slice, if slices are quick. */
  most: number;
  /** Slices with the same key run one after another, across all processes. */
  serialKey: string;
  monotonic?: { now(): number };
};

/** Much less than the 50 ms that others may have to wait: the delay of a busy disk is added. */
const longSliceMs = 20;
/** The share of the second between two sweeps. Other writers run after every slice. */
const shareMs = 500;
/** A checkpoint follows this many slices; otherwise the commit of another writer would have to do it. */
const slicesCarriedOver = 8;
/** Rows may be large and the disk slow, and a process that has just started knows neither. */
const firstRows = 50;
/** If even this few rows are slow, the cause is the disk, and smaller slices would only make it wait more often. */
const leastRows = 20;

/** Returns a function that erases, and returns how many rows are gone. */
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
    // A slice that had to be smaller says nothing about the next size.
    if (count > 0 && rows >= size.now()) size.note(monotonic.now() - startedAt);
    return count;
  }

  async function eraseNext(parts: EraseParts): Promise<number> {
    for (let rows = size.now(); ;) {
      try {
        return await eraseSlice(parts, rows);
      } catch (error) {
        if (rows === 1 || !wasUndone(error)) throw error;
        // The time that it would have taken is unknown.
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
