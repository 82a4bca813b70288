import { hash } from 'node:crypto';

/**
 * Which row had an address first, without holding the addresses: of each it keeps 8 bytes of its SHA-256 and the row,
 * 12 bytes in a table that is at most two thirds full. That two of a million addresses share those 8 bytes, and the
 * second is taken for a duplicate of the first, happens in one list of about 37 million. The table is divided, so that
 * it grows part by part: old and new slots of the whole would take half as much again.
 */
export function createAddressTable() {
  const parts = Array.from({ length: tableParts }, createTablePart);
  return {
    /** The row that had this key first; this one where none had. Rows count from 1. */
    firstRowOf(key: string, row: number): number {
      const digest = hash('sha256', key, 'buffer');
      const part = parts[digest[8] ?? 0];
      if (part === undefined) throw new Error('a byte has more values than there are parts');
      return part(digest.readUInt32LE(0), digest.readUInt32LE(4), row);
    },
  };
}

/** One for each value of a byte. */
const tableParts = 256;

function createTablePart() {
  let slots = newSlots(256);
  let count = 0;

  function grow(): void {
    const larger = newSlots(slots.size * 2);
    for (let i = 0; i < slots.size; i += 1) {
      const row = slots.row[i] ?? 0;
      if (row === 0) continue;
      const [high, low] = [slots.high[i] ?? 0, slots.low[i] ?? 0];
      const to = findSlot(larger, high, low);
      larger.high[to] = high;
      larger.low[to] = low;
      larger.row[to] = row;
    }
    slots = larger;
  }

  return (high: number, low: number, row: number): number => {
    const at = findSlot(slots, high, low);
    const known = slots.row[at] ?? 0;
    if (known !== 0) return known;
    count += 1;
    slots.high[at] = high;
    slots.low[at] = low;
    slots.row[at] = row;
    if (count * 3 > slots.size * 2) grow();
    return row;
  };
}

type Slots = { size: number; high: Uint32Array; low: Uint32Array; row: Uint32Array };

function newSlots(size: number): Slots {
  return { size, high: new Uint32Array(size), low: new Uint32Array(size), row: new Uint32Array(size) };
}

/** Where the digest is, or the free slot it belongs into. Sizes are powers of two and some slots are always free. */
function findSlot({ size, high, low, row }: Slots, wantedHigh: number, wantedLow: number): number {
  let at = wantedHigh & (size - 1);
  while (row[at] !== 0 && (high[at] !== wantedHigh || low[at] !== wantedLow)) at = (at + 1) & (size - 1);
  return at;
}
