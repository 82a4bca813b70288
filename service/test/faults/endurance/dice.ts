/** Chance that can be repeated: the same seed throws the same numbers. */
export type Dice = {
  /** A whole number from 0 up to, but not including, this one. */
  below(limit: number): number;
  chance(share: number): boolean;
  oneOf<Item>(items: readonly [Item, ...Item[]]): Item;
};

export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  /** Mulberry32: small, and even enough for load. */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (share) => next() < share,
    oneOf: (items) => items[below(items.length)] ?? items[0],
  };
}
