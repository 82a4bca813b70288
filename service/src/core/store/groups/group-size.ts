/**
 * The number of operations in one transaction, chosen so that a transaction takes a moment. A longer transaction
 * makes others wait, also those of the same account in other processes, until they are refused. So the size is
 * halved after a long transaction and doubled after a short one.
 *
 * On a slow machine one operation takes as long as a few together. If a few counted as too many, the size would
 * fall to one and stay there, with all other requests refused. So a few operations are allowed more time.
 */
type GroupSize = {
  now: () => number;
  /** Without `operations`, the group had as many as `now` says. */
  note: (tookMs: number, operations?: number) => void;
};

type GroupSizeOptions = {
  most: number;
  longMs: number;
  /** The first size, while the time of the largest is not known. */
  first?: number;
  /** The smallest size, however long it takes: below it, the number is not the cause. */
  least?: number;
  /** After a long transaction, take half of the number that would have been in time, not half of the last size. */
  shrinksToFit?: boolean;
  /** Up to `operations` count as too many only after `longMs`. */
  few?: { operations: number; longMs: number };
};

export function createGroupSize(options: GroupSizeOptions): GroupSize {
  const { most, first = most, least = 1, shrinksToFit = false, few } = options;
  let size = first;
  return {
    now: () => size,
    note: (tookMs, operations = size) => {
      const longMs = few !== undefined && operations <= few.operations ? few.longMs : options.longMs;
      if (tookMs > longMs) {
        const fits = shrinksToFit ? longMs / tookMs : 1;
        size = Math.max(least, Math.floor((size * fits) / 2));
      } else if (tookMs <= longMs / 2) size = Math.min(most, size * 2);
    },
  };
}
