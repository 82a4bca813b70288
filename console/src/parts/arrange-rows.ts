import { shownStatuses, isShownStatus } from './statuses.ts';

/** One address with what is known of it, as tables show it. */
export type ResultRow = {
  /** Where it stands in the list, from 1. */
  row: number;
  address: string;
  /** Empty where there is no answer yet. */
  status: string;
  score: number | null;
  provider: string;
  reason: string;
};

export type SortBy = 'row' | 'address' | 'status' | 'score' | 'provider';
export type Arrangement = { status: string; search: string; sortBy: SortBy; isDescending: boolean };

export const unarranged: Arrangement = { status: '', search: '', sortBy: 'row', isDescending: false };

/** The rows that are asked for, in the order that is asked for; equals stay in the order of the list. */
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
