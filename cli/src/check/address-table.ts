import { hash } from 'node:crypto';

/**
 * Numbers distinct keys in the order they first come, without holding them: of each it keeps 8 bytes of its SHA-256
 * and its number, 12 bytes in a table that is at most two thirds full. That two of a million keys share those 8
 * bytes, and the second is taken for a duplicate of the first, happens in one list of about 37 million.
 */
export function createAddressTable() {
  let slots = newSlots(65_536);
  let count = 0;

  function grow(): void {
    const larger = newSlots(slots.size * 2);
    for (let i = 0; i < slots.size; i += 1) {
      const number = slots.number[i] ?? 0;
      if (number === 0) continue;
      const [high, low] = [slots.high[i] ?? 0, slots.low[i] ?? 0];
      const to = findSlot(larger, high, low);
      larger.high[to] = high;
      larger.low[to] = low;
      larger.number[to] = number;
    }
    slots = larger;
  }

  return {
    /** The key's number, from 0; a new key gets the next. */
    numberOf(key: string): number {
      const digest = hash('sha256', key, 'buffer');
      const [high, low] = [digest.readUInt32LE(0), digest.readUInt32LE(4)];
      const at = findSlot(slots, high, low);
      const known = slots.number[at] ?? 0;
      if (known !== 0) return known - 1;
      count += 1;
      slots.high[at] = high;
      slots.low[at] = low;
      slots.number[at] = count;
      if (count * 3 > slots.size * 2) grow();
      return count - 1;
    },
    count: () => count,
  };
}

type Slots = { size: number; high: Uint32Array; low: Uint32Array; number: Uint32Array };

function newSlots(size: number): Slots {
  return { size, high: new Uint32Array(size), low: new Uint32Array(size), number: new Uint32Array(size) };
}

/** Where the digest is, or the free slot it belongs into. Sizes are powers of two and some slots are always free. */
function findSlot({ size, high, low, number }: Slots, wantedHigh: number, wantedLow: number): number {
  let at = wantedHigh & (size - 1);
  while (number[at] !== 0 && (high[at] !== wantedHigh || low[at] !== wantedLow)) at = (at + 1) & (size - 1);
  return at;
}
