/**
 * How much is done in one transaction, such as how many operations of requests share one: as many as are done in a moment. What takes longer makes others
 * wait, those of the same account in other processes too, until they have to be refused. So after a long one half as
 * many are taken, and after a short one twice as many again.
 */
type GroupSize = { now: () => number; note: (tookMs: number) => void };

type GroupSizeOptions = {
  most: number;
  longMs: number;
  /** What it begins with, where nobody knows yet how long the most would take. */
  first?: number;
  /** The fewest, however long they take: what takes long then is not their number. */
  least?: number;
  /** After a long one it takes half of what would have been done in time, and not half of what it took before. */
  shrinksToFit?: boolean;
};

export function createGroupSize(options: GroupSizeOptions): GroupSize {
  const { most, longMs, first = most, least = 1, shrinksToFit = false } = options;
  let size = first;
  return {
    now: () => size,
    note: (tookMs) => {
      if (tookMs > longMs) {
        const fits = shrinksToFit ? longMs / tookMs : 1;
        size = Math.max(least, Math.floor((size * fits) / 2));
      } else if (tookMs <= longMs / 2) size = Math.min(most, size * 2);
    },
  };
}
