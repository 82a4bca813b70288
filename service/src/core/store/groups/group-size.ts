/**
 * How much is done in one transaction, such as how many operations of requests share one: as many as are done in a moment. What takes longer makes others
 * wait, those of the same account in other processes too, until they have to be refused. So after a long one half as
 * many are taken, and after a short one twice as many again.
 *
 * On a machine that is slow with everything, one operation takes as long as a few together. Were a few taken for too many,
 * it would come down to one at a time and stay there, with all others refused. So a few have more time.
 */
type GroupSize = {
  now: () => number;
  /** If it is not said how many there were, there were as many as `now` says. */
  note: (tookMs: number, operations?: number) => void;
};

type GroupSizeOptions = {
  most: number;
  longMs: number;
  /** What it begins with, where nobody knows yet how long the most would take. */
  first?: number;
  /** The fewest, however long they take: what takes long then is not their number. */
  least?: number;
  /** After a long one it takes half of what would have been done in time, and not half of what it took before. */
  shrinksToFit?: boolean;
  /** So many are not too many unless they take `longMs` instead. */
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
