import { contractLimits, type ListRow } from '@mailproof/client';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Failure, failureOf } from '../../api/call.ts';
import { useConsole } from '../../app/use-console.ts';

export type RowFilter = { status: string; provider: string; search: string };

export type ListRows = {
  rows: ReadonlySignal<ListRow[]>;
  /** The service has more rows. */
  hasMore: ReadonlySignal<boolean>;
  failure: ReadonlySignal<Failure | undefined>;
  /** Reads until this many rows are known, or there are no more. */
  readTo(count: number): void;
  /** Reads the first page again, unless more pages were read. */
  refresh(): void;
};

/** Most rows that the page holds: a browser could not draw a taller table. */
export const mostRows = 250_000;

type Reading = { filter: RowFilter; next: string | undefined; isReading: boolean; wanted: number };

/** Returns the filter without its empty fields. */
function wishOf({ status, provider, search }: RowFilter) {
  return { status: status || undefined, provider: provider || undefined, search: search || undefined };
}

/** Reads the rows of a list page by page, as far as needed. Another filter starts again. */
export function useListRows(listId: string, filter: RowFilter): ListRows {
  const { api } = useConsole();
  const rows = useSignal<ListRow[]>([]);
  const hasMore = useSignal(true);
  const failure = useSignal<Failure | undefined>(undefined);
  const current = useRef<Reading | undefined>(undefined);

  const readOn = async (reading: Reading, { isAnew }: { isAnew: boolean }) => {
    if (reading.isReading) return;
    reading.isReading = true;
    let known = isAnew ? [] : rows.peek();
    let next = isAnew ? undefined : reading.next;
    try {
      do {
        const page = await api.client.lists.rowPage(listId, {
          ...wishOf(reading.filter),
          limit: contractLimits.listPageRows,
          after: next,
        });
        if (current.current !== reading) return;
        known = [...known, ...page.rows].slice(0, mostRows);
        next = page.next ?? undefined;
        reading.next = next;
        rows.value = known;
        hasMore.value = next !== undefined && known.length < mostRows;
        failure.value = undefined;
      } while (hasMore.peek() && known.length < reading.wanted);
    } catch (error) {
      if (current.current === reading) failure.value = failureOf(error);
    } finally {
      reading.isReading = false;
    }
  };

  const { status, provider, search } = filter;
  useEffect(() => {
    const reading: Reading = { filter, next: undefined, isReading: false, wanted: 1 };
    current.current = reading;
    void readOn(reading, { isAnew: true });
    return () => {
      current.current = undefined;
    };
  }, [listId, status, provider, search]);

  return {
    rows,
    hasMore,
    failure,
    readTo(count) {
      const reading = current.current;
      if (reading === undefined) return;
      reading.wanted = Math.max(reading.wanted, count);
      if (hasMore.peek() && rows.peek().length < reading.wanted) void readOn(reading, { isAnew: false });
    },
    refresh() {
      const reading = current.current;
      if (reading === undefined || rows.peek().length > contractLimits.listPageRows) return;
      void readOn(reading, { isAnew: true });
    },
  };
}
