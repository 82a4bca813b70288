import { createRowPlaces, decodeCell, type RowPlace, type RowPlaces } from '@mailproof/client/lists';
import { parseAddress, trimAddress, type SyntaxFault } from '@mailproof/engine';
import { createAddressTable } from './address-table.ts';
import { readList, type ListFile } from './read-list.ts';

/** What a list contains, counted before anything is spent. rows = blank + rejected + duplicates + addresses. */
export type Survey = {
  /** SHA-256 of the file. */
  digest: string;
  /** Rows below the heading. */
  rows: number;
  blank: number;
  rejected: number;
  duplicates: number;
  /** Distinct addresses: what is asked, and paid for at most. */
  addresses: number;
  /** Cells of the widest row, so that added columns stand under each other. */
  width: number;
  /** What each row is. */
  places: RowPlaces;
};

/** The first pass: reads the whole list once, sorts its rows, and sends nothing. */
export async function surveyList(list: ListFile): Promise<Survey> {
  const table = createAddressTable();
  const places = createRowPlaces();
  const counts = { blank: 0, rejected: 0, duplicates: 0 };
  let isHeader = list.layout.hasHeader;
  let width = 1;
  const rows = readList(list);
  for (let read = await rows.next(); ; read = await rows.next()) {
    if (read.done === true) {
      return { digest: read.value, rows: places.count(), addresses: table.count(), width, places, ...counts };
    }
    for (const { cells } of read.value) {
      width = Math.max(width, cells.length);
      if (isHeader) {
        isHeader = false;
        continue;
      }
      const known = table.count();
      const place = placeOf(cells[list.layout.column] ?? '', table);
      places.add(place);
      if (place.kind !== 'address') counts[place.kind] += 1;
      else if (place.number < known) counts.duplicates += 1;
    }
  }
}

function placeOf(cell: string, table: ReturnType<typeof createAddressTable>): RowPlace<SyntaxFault> {
  const email = addressIn(cell);
  if (email === '') return { kind: 'blank' };
  const parsed = parseAddress(email);
  if (parsed.kind === 'invalid') return { kind: 'rejected', reason: parsed.fault };
  const { username, host } = parsed.address;
  // The key by which the service compares addresses, so that the same ones count as duplicates here and there.
  return { kind: 'address', number: table.numberOf(`${username.toLowerCase()}@${host}`) };
}

/** What is asked about a cell: its text without the white space around it. */
export function addressIn(cell: string): string {
  return trimAddress(decodeCell(cell));
}
