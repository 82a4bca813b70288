import type { LedgerEntry } from '@mailproof/client';

/** What each kind of entry does to the three heaps; together they are what was granted. */
const effects: Record<LedgerEntry['kind'], { available: -1 | 0 | 1; reserved: -1 | 0 | 1; spent: 0 | 1 }> = {
  grant: { available: 1, reserved: 0, spent: 0 },
  reserve: { available: -1, reserved: 1, spent: 0 },
  charge: { available: 0, reserved: -1, spent: 1 },
  release: { available: 1, reserved: -1, spent: 0 },
};

/** What an entry does to what is available, with its sign. */
export function changeOf({ kind, credits }: Pick<LedgerEntry, 'kind' | 'credits'>): number {
  return effects[kind].available * credits;
}

/**
 * The numbers of the entries that do not follow from the one before them; none in a statement that adds up. Entries are
 * the newest first and without gaps; the oldest of them is taken as it stands unless it is the first of all.
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
