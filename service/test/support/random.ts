/** Repeatable random numbers: the same seed gives the same numbers. */
export type Random = {
  /** Returns a number from 0 up to, but not including, 1. */
  next: () => number;
  /** Returns a whole number from 0 up to, but not including, the limit. */
  below(limit: number): number;
  chance(share: number): boolean;
  oneOf<Item>(items: readonly [Item, ...Item[]]): Item;
};

/** Mulberry32: small, and even enough for load. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (share) => next() < share,
    oneOf: (items) => items[below(items.length)] ?? items[0],
  };
}
