import type { LedgerEntry } from '@mailproof/client';

/** The effect of each kind of entry on the three amounts, which together are the granted credits. */
const effects: Record<LedgerEntry['kind'], { available: -1 | 0 | 1; reserved: -1 | 0 | 1; spent: 0 | 1 }> = {
  grant: { available: 1, reserved: 0, spent: 0 },
  reserve: { available: -1, reserved: 1, spent: 0 },
  charge: { available: 0, reserved: -1, spent: 1 },
  release: { available: 1, reserved: -1, spent: 0 },
};

/** Returns the change of the available credits, with its sign. */
export function changeOf({ kind, credits }: Pick<LedgerEntry, 'kind' | 'credits'>): number {
  return effects[kind].available * credits;
}

/**
 * Returns the numbers of the entries that do not follow from the one before. Entries are newest first, without gaps.
 * The oldest of them is taken as it is, unless it is the first of the ledger.
 */
export function checkStatement(entries: readonly LedgerEntry[]): number[] {
  return entries
    .filter((entry, i) => {
      const before = entries[i + 1] ?? (entry.number === 1 ? nothing : undefined);
      return before !== undefined && !follows(entry, before);
    })
    .map(({ number }) => number);
}

type Standing = Pick<LedgerEntry, 'number' | 'available' | 'reserved' | 'spent'>;
const nothing: Standing = { number: 0, available: 0, reserved: 0, spent: 0 };

function follows(entry: LedgerEntry, before: Standing): boolean {
  const { available, reserved, spent } = effects[entry.kind];
  return (
    entry.number === before.number + 1 &&
    entry.available === before.available + available * entry.credits &&
    entry.reserved === before.reserved + reserved * entry.credits &&
    entry.spent === before.spent + spent * entry.credits
  );
}
