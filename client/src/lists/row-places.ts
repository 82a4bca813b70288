/** What a row is: nothing, no address, or the spelling of the address with this number. */
export type RowPlace<Reason extends string = string> =
  { kind: 'blank' } | { kind: 'rejected'; reason: Reason } | { kind: 'address'; number: number };

export type RowPlaces = {
  add(place: RowPlace): void;
  at(row: number): RowPlace;
  count(): number;
};

const blockRows = 65_536;
/** Below it a number is a reason (0: blank), from it on an address. */
const firstAddress = 64;

/** Keeps what each row is in 4 bytes. Blocks, not one array that is copied each time it grows. */
export function createRowPlaces(): RowPlaces {
  const blocks: Uint32Array[] = [];
  const reasons: string[] = [];
  let count = 0;

  function codeOf(place: RowPlace): number {
    switch (place.kind) {
      case 'blank':
        return 0;
      case 'rejected': {
        if (!reasons.includes(place.reason)) reasons.push(place.reason);
        return reasons.indexOf(place.reason) + 1;
      }
      case 'address':
        return place.number + firstAddress;
    }
  }

  return {
    add(place) {
      if (count % blockRows === 0) blocks.push(new Uint32Array(blockRows));
      const block = blocks.at(-1);
      if (block !== undefined) block[count % blockRows] = codeOf(place);
      count += 1;
    },
    at(row) {
      const code = blocks[Math.floor(row / blockRows)]?.[row % blockRows] ?? 0;
      if (code === 0) return { kind: 'blank' };
      if (code < firstAddress) return { kind: 'rejected', reason: reasons[code - 1] ?? '' };
      return { kind: 'address', number: code - firstAddress };
    },
    count: () => count,
  };
}
