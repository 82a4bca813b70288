import { decodeCell } from './decode-cell.ts';
import type { Row } from './read-rows.ts';

type Searched = {
  header: string[] | undefined;
  rows: Row[];
  /** A heading, or a number from 1, where the column was named. */
  wish: string | undefined;
};

/** The columns there are, and which of them holds the addresses, where one does. */
type FoundColumn = { column: number | undefined; columns: string[] };

/** Headings that mean the address and nothing else, letters only. */
const addressHeadings = new Set([
  'email',
  'emails',
  'mail',
  'emailaddress',
  'mailaddress',
  'emailadresse',
  'courriel',
]);

/** Finds where the addresses are: as named, or where the cells look like addresses, headings deciding between equals. */
export function findColumn({ header, rows, wish }: Searched): FoundColumn {
  const width = Math.max(header?.length ?? 0, ...rows.map(({ cells }) => cells.length), 1);
  const columns = Array.from({ length: width }, (_, i) => header?.[i] ?? `column ${i + 1}`);
  const column = wish === undefined ? mostLikely(columns, rows) : named(wish, columns, header);
  return { column, columns };
}

function named(wish: string, columns: string[], header: string[] | undefined): number | undefined {
  const wanted = wish.trim().toLowerCase();
  const byName = header === undefined ? -1 : columns.findIndex((name) => name.toLowerCase() === wanted);
  if (byName !== -1) return byName;
  const number = /^\d{1,5}$/.test(wanted) ? Number(wanted) : 0;
  return number >= 1 && number <= columns.length ? number - 1 : undefined;
}

function mostLikely(columns: string[], rows: Row[]): number | undefined {
  if (columns.length === 1) return 0;
  const candidates = columns.map((name, column) => ({
    column,
    hits: rows.filter(({ cells }) => looksLikeAddress(cells[column])).length,
    rank: rankOf(name),
  }));
  const most = Math.max(...candidates.map(({ hits }) => hits));
  // A second column of addresses may be filled less than the one that is meant, or more.
  const likely = candidates.filter(({ hits, rank }) => (most === 0 ? rank === 2 : hits * 2 >= most));
  return likely.sort((a, b) => b.rank - a.rank || b.hits - a.hits)[0]?.column;
}

function rankOf(name: string): number {
  const letters = name.toLowerCase().replace(/[^a-z]/g, '');
  if (addressHeadings.has(letters)) return 2;
  return letters.includes('mail') ? 1 : 0;
}

function looksLikeAddress(cell: string | undefined): boolean {
  return cell !== undefined && /^\s*[^\s@]+@[^\s@]+\s*$/.test(decodeCell(cell));
}
