/**
 * How many operations of requests share a transaction: as many as are done in a moment. What takes longer makes others
 * wait, those of the same account in other processes too, until they have to be refused. So after a long one half as
 * many are taken, and after a short one twice as many again.
 */
type GroupSize = { now: () => number; note: (tookMs: number) => void };

export function createGroupSize({ most, longMs }: { most: number; longMs: number }): GroupSize {
  let size = most;
  return {
    now: () => size,
    note: (tookMs) => {
      if (tookMs > longMs) size = Math.max(1, Math.floor(size / 2));
      else if (tookMs < longMs / 2) size = Math.min(most, size * 2);
    },
  };
}
