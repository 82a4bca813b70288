import { isShownStatus, shownStatuses } from './statuses.ts';

/** One address with its result, as in a table. */
export type ResultRow = {
  /** Position in the list, from 1. */
  row: number;
  address: string;
  /** Empty without an answer yet. */
  status: string;
  score: number | null;
  provider: string;
  reason: string;
};

export type SortBy = 'row' | 'address' | 'status' | 'score' | 'provider';
export type Arrangement = { status: string; search: string; sortBy: SortBy; isDescending: boolean };

export const unarranged: Arrangement = { status: '', search: '', sortBy: 'row', isDescending: false };

/** Returns the filtered rows in the wanted order; equal rows stay in the order of the list. */
export function arrangeRows(rows: readonly ResultRow[], wish: Arrangement): ResultRow[] {
  const search = wish.search.trim().toLowerCase();
  const kept = rows.filter(
    ({ status, address, provider, reason }) =>
      (wish.status === '' || status === wish.status) &&
      (search === '' || `${address}\n${provider}\n${reason}`.toLowerCase().includes(search)),
  );
  if (wish.sortBy === 'row') return wish.isDescending ? kept.reverse() : kept;
  const compare = comparisons[wish.sortBy];
  const sign = wish.isDescending ? -1 : 1;
  return kept.sort((a, b) => sign * compare(a, b) || a.row - b.row);
}

const comparisons: Record<Exclude<SortBy, 'row'>, (a: ResultRow, b: ResultRow) => number> = {
  address: (a, b) => byText(a.address.toLowerCase(), b.address.toLowerCase()),
  provider: (a, b) => byText(a.provider, b.provider),
  status: (a, b) => rankOf(a.status) - rankOf(b.status),
  score: (a, b) => (a.score ?? -1) - (b.score ?? -1),
};

function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function rankOf(status: string): number {
  return isShownStatus(status) ? shownStatuses.indexOf(status) : shownStatuses.length;
}

type Seen = {
  /** Pixels above the window, and pixels in it. */
  top: number;
  height: number;
  rowHeight: number;
};

/** Rows drawn beyond each edge, so that scrolling shows no gap. */
const margin = 12;

/** Returns the range of rows to draw, and the height of the other rows above and below. */
export function visibleRange(count: number, { top, height, rowHeight }: Seen) {
  const first = Math.min(Math.max(Math.floor(top / rowHeight) - margin, 0), Math.max(count - 1, 0));
  const last = Math.min(Math.ceil((top + height) / rowHeight) + margin, count);
  const end = Math.max(last, Math.min(first + margin, count));
  return { first, last: end, above: first * rowHeight, below: (count - end) * rowHeight };
}
