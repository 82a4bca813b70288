import { type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Icon } from '../../parts/elements.tsx';
import { counted, grouped } from '../../parts/format.ts';
import { RowsWindow } from '../../parts/rows-window.tsx';
import { type Arrangement, arrangeRows, type ResultRow, type SortBy, unarranged } from '../../parts/rows.ts';
import { statusLabel, tallyByStatus } from '../../parts/statuses.ts';

type ResultTableProps = {
  /** The table's name for screen readers. */
  label: string;
  rows: ReadonlySignal<ResultRow[]>;
  onOpen: (row: ResultRow) => void;
};

/** A table of any length: filtered, sorted, with only the visible rows drawn. */
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

/** Filters rows by status and by text. */
function ResultFilter({ rows, wish }: { rows: ReadonlySignal<ResultRow[]>; wish: Signal<Arrangement> }) {
  const statusId = useId();
  const searchId = useId();
  const counts = useComputed(() => tallyByStatus(rows.value.filter(({ status }) => status !== '')));
  return (
    <div class="fields">
      <div class="field">
        <label for={statusId}>Filter by status</label>
        <select
          id={statusId}
          value={wish.value.status}
          onChange={(event) => (wish.value = { ...wish.value, status: event.currentTarget.value })}
        >
          <option value="">All statuses</option>
          {counts.value.map(({ status, count }) => (
            <option key={status} value={status}>
              {statusLabel(status)} ({grouped(count)})
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for={searchId}>Search results</label>
        <input
          id={searchId}
          type="search"
          autocomplete="off"
          spellcheck={false}
          placeholder="name, domain, provider"
          value={wish.value.search}
          onInput={(event) => (wish.value = { ...wish.value, search: event.currentTarget.value })}
        />
      </div>
    </div>
  );
}
