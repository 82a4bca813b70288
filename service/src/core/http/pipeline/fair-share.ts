/**
 * Places that many askers share and none may take whole. An asker may hold at most four times the number of free
 * places (Choudhury and Hahne's dynamic threshold). A single asker gets four fifths of the places; two that want
 * all get four ninths each. An asker without a place always finds one, because the last free place is reserved for
 * newcomers. No list of active askers is needed. An asker above its share, since others came, gets no more until it
 * has given back.
 */
export type FairShare = {
  /** Whether this asker may hold one more place. */
  mayTake(asker: string): boolean;
  take(asker: string): void;
  giveBack(asker: string): void;
  heldBy(asker: string): number;
  /** How many askers hold a place. */
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
