/**
 * Places that many share and nobody may take whole. An asker may hold at most four times what would be left free
 * (Choudhury and Hahne's dynamic threshold): alone it has four fifths of the places, two that want all of them have four
 * ninths each, and whoever holds none finds one, because the last free place is given only to a newcomer. It needs no
 * list of who is active, and an asker that holds too much since others came gets no more until it has given back.
 */
export type FairShare = {
  /** Whether this asker may hold one place more. */
  mayTake(asker: string): boolean;
  take(asker: string): void;
  giveBack(asker: string): void;
  heldBy(asker: string): number;
  /** How many hold something. */
  askers(): number;
  /** How many places are held in all. */
  held(): number;
};

const timesTheFree = 4;

export function createFairShare(places: number): FairShare {
  const heldByAsker = new Map<string, number>();
  let held = 0;
  const heldBy = (asker: string) => heldByAsker.get(asker) ?? 0;

  return {
    mayTake(asker) {
      const own = heldBy(asker);
      const leftFree = places - held - 1;
      return own === 0 ? leftFree >= 0 : own < timesTheFree * leftFree;
    },
    take(asker) {
      held += 1;
      heldByAsker.set(asker, heldBy(asker) + 1);
    },
    giveBack(asker) {
      held -= 1;
      const left = heldBy(asker) - 1;
      if (left > 0) heldByAsker.set(asker, left);
      else heldByAsker.delete(asker);
    },
    heldBy,
    askers: () => heldByAsker.size,
    held: () => held,
  };
}
