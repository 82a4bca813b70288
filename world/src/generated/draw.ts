/** Draws from a seeded source of numbers. */
export type Draw = () => number;

export function pick<Item>(draw: Draw, items: readonly Item[]): Item {
  const at = Math.floor(draw() * items.length);
  for (const item of items.slice(at)) return item;
  throw new Error('nothing to pick from');
}

export function chance(draw: Draw, probability: number): boolean {
  return draw() < probability;
}
