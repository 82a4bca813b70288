import { contractLimits } from '@mailproof/client';
import {
  createRowPlaces,
  createRowReader,
  decodeCell,
  addressKey,
  toByteText,
  type Layout,
  type RowPlace,
  type RowPlaces,
} from '@mailproof/client/lists';

/** What a list holds, counted before anything is spent. rows = blank + rejected + duplicates + addresses. */
export type Survey = {
  /** Rows below the heading. */
  rows: number;
  blank: number;
  rejected: number;
  duplicates: number;
  /** Distinct addresses by their first spelling, in order: what is asked, and paid for at most. */
  addresses: string[];
  /** Cells of the widest row, so that added columns stand under each other. */
  width: number;
  /** What each row is. */
  places: RowPlaces;
  /** What stands in each row where the address should. */
  cells: string[];
};

const pieceBytes = 65_536;

/** Reads the whole list once and sorts its rows; `pause` lets the page breathe between pieces. */
export async function surveyList(
  bytes: Uint8Array,
  layout: Layout,
  pause: () => Promise<void>,
): Promise<Survey> {
  const reader = createRowReader(layout);
  const counter = createCounter(layout);
  for (let at = layout.bom.length; at < bytes.length; at += pieceBytes) {
    counter.count(reader.push(toByteText(bytes.subarray(at, at + pieceBytes))));
    await pause();
  }
  counter.count(reader.end());
  return counter.survey();
}

function createCounter({ column, hasHeader }: Layout) {
  const numbers = new Map<string, number>();
  const addresses: string[] = [];
  const cells: string[] = [];
  const places = createRowPlaces();
  const counts = { blank: 0, rejected: 0, duplicates: 0 };
  let isHeader = hasHeader;
  let width = 1;

  function placeOf(text: string): RowPlace {
    if (text === '') return { kind: 'blank' };
    const reason = faultOf(text);
    if (reason !== undefined) return { kind: 'rejected', reason };
    const key = addressKey(text);
    const known = numbers.get(key);
    if (known !== undefined) {
      counts.duplicates += 1;
      return { kind: 'address', number: known };
    }
    numbers.set(key, addresses.length);
    return { kind: 'address', number: addresses.push(text) - 1 };
  }

  return {
    count(rows: { cells: string[] }[]): void {
      for (const row of rows) {
        width = Math.max(width, row.cells.length);
        if (isHeader) {
          isHeader = false;
          continue;
        }
        const text = decodeCell(row.cells[column] ?? '').trim();
        const place = placeOf(text);
        places.add(place);
        cells.push(text);
        if (place.kind !== 'address') counts[place.kind] += 1;
      }
    },
    survey: (): Survey => ({ rows: cells.length, addresses, width, places, cells, ...counts }),
  };
}

/** What is certainly no address is not sent. The service judges the rest, and charges nothing for what it rejects. */
function faultOf(text: string): string | undefined {
  if (Array.from(text).length > contractLimits.emailCharacters) return 'too_long';
  if (!text.includes('@')) return 'no_at_sign';
  // eslint-disable-next-line no-control-regex -- control characters are exactly what it looks for
  return /[\0-\x1f\x7f-\x9f]/.test(text) ? 'control_character' : undefined;
}
