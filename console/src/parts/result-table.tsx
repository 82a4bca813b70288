import { useComputed, useSignal, type ReadonlySignal } from '@preact/signals';
import { arrangeRows, unarranged, type Arrangement, type ResultRow, type SortBy } from './arrange-rows.ts';
import { counted, grouped } from './format.ts';
import { Icon } from './icon.tsx';
import { ResultFilter } from './result-filter.tsx';
import { RowsWindow } from './rows-window.tsx';

type ResultTableProps = {
  /** What the table is about, for those who hear it. */
  label: string;
  rows: ReadonlySignal<ResultRow[]>;
  onOpen: (row: ResultRow) => void;
};

/** A table of any length: filtered, sorted, and drawn only as far as it is seen. */
export function ResultTable({ label, rows, onOpen }: ResultTableProps) {
  const wish = useSignal<Arrangement>(unarranged);
  const arranged = useComputed(() => arrangeRows(rows.value, wish.value));
  return (
    <div class="results">
      <ResultFilter rows={rows} wish={wish} />
      <p class="hint" role="status">
        {arranged.value.length === rows.value.length
          ? counted(rows.value.length, 'row')
          : `${grouped(arranged.value.length)} of ${counted(rows.value.length, 'row')}`}
      </p>
      <RowsWindow label={label} rows={arranged.value} count={arranged.value.length} onOpen={onOpen}>
        <Head wish={wish.value} onSort={(sortBy) => (wish.value = sorted(wish.value, sortBy))} />
      </RowsWindow>
    </div>
  );
}

function sorted(wish: Arrangement, sortBy: SortBy): Arrangement {
  return { ...wish, sortBy, isDescending: wish.sortBy === sortBy && !wish.isDescending };
}

const columns: readonly { key: SortBy; name: string; class: string }[] = [
  { key: 'row', name: 'Row', class: 'col-row' },
  { key: 'address', name: 'Address', class: 'col-address' },
  { key: 'status', name: 'Status', class: 'col-status' },
  { key: 'score', name: 'Score', class: 'col-score' },
  { key: 'provider', name: 'Provider', class: 'col-provider' },
];

function Head({ wish, onSort }: { wish: Arrangement; onSort: (by: SortBy) => void }) {
  const direction = wish.isDescending ? 'descending' : 'ascending';
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ key, name, class: className }) => (
          <th key={key} scope="col" class={className} aria-sort={wish.sortBy === key ? direction : 'none'}>
            <button type="button" class="sort" onClick={() => onSort(key)}>
              {name}
              {wish.sortBy === key ? <Icon name={wish.isDescending ? 'down' : 'up'} /> : null}
            </button>
          </th>
        ))}
        <th scope="col" class="col-why">
          Why
        </th>
      </tr>
    </thead>
  );
}
