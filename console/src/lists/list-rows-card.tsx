import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ListRecord, ListRow } from '@mailproof/client';
import { FailureNotice } from '../loading/failure-notice.tsx';
import type { ResultRow } from '../parts/arrange-rows.ts';
import { counted, grouped } from '../parts/format.ts';
import { providerName } from '../parts/provider-name.ts';
import { RowsWindow } from '../parts/rows-window.tsx';
import { statusLabel } from '../parts/statuses.ts';
import { TableHead } from '../parts/table-head.tsx';
import { inOrder } from '../parts/tally.ts';
import { RowDialog } from './row-dialog.tsx';
import { mostRows, useListRows, type ListRows, type RowFilter } from './use-list-rows.ts';

const noFilter: RowFilter = { status: '', provider: '', search: '' };

/** The list row by row, as far as one scrolls. */
export function ListRowsCard({ list }: { list: ListRecord }) {
  const filter = useSignal(noFilter);
  const opened = useSignal<ListRow | undefined>(undefined);
  const found = useListRows(list.list_id, filter.value);
  const shown = found.rows.value;
  useEffect(() => found.refresh(), [list.checked, list.state]);
  return (
    <section class="card rows-card" aria-labelledby="results-title">
      <h2 id="results-title">Results</h2>
      <div class="results">
        <RowFilters list={list} filter={filter.value} onFilter={(wish) => (filter.value = wish)} />
        <p class="hint" role="status">
          {countWords(list, filter.value, found)}
        </p>
        {found.failure.value === undefined ? null : (
          <FailureNotice failure={found.failure.value}>
            <div class="buttons">
              <button
                type="button"
                class="button button-small"
                onClick={() => found.readTo(shown.length + 1)}
              >
                Try again
              </button>
            </div>
          </FailureNotice>
        )}
        <RowsWindow
          label="Results"
          rows={shown.map(toResultRow)}
          count={countOf(list, filter.value, found)}
          onOpen={({ row }) => (opened.value = shown.find((one) => one.row === row))}
          onSeen={(last) => found.readTo(last + 1)}
        >
          <TableHead columns={headings} rowIndex={1} />
        </RowsWindow>
      </div>
      {opened.value === undefined ? null : (
        <RowDialog listId={list.list_id} row={opened.value} onClose={() => (opened.value = undefined)} />
      )}
    </section>
  );
}

function isFiltered({ status, provider, search }: RowFilter): boolean {
  return status !== '' || provider !== '' || search !== '';
}

/** Without a filter it is known from the beginning how far one can scroll. */
function countOf(list: ListRecord, filter: RowFilter, { rows, hasMore }: ListRows): number {
  const known = rows.value.length;
  if (!hasMore.value) return known;
  return isFiltered(filter) ? known : Math.min(list.rows, mostRows);
}

function countWords(list: ListRecord, filter: RowFilter, { rows, hasMore }: ListRows): string {
  const known = rows.value.length;
  if (known >= mostRows)
    return `The first ${grouped(mostRows)} of ${counted(list.rows, 'row')}. Filter them, or download the list to see the rest.`;
  if (!isFiltered(filter)) return counted(list.rows, 'row');
  return `${grouped(known)}${hasMore.value ? ' or more' : ''} of ${counted(list.rows, 'row')}`;
}

function toResultRow({ row, email, status, score, provider, reason }: ListRow): ResultRow {
  return {
    row,
    address: email ?? '',
    status: status ?? '',
    score,
    // That no mail server was asked shows in the reason.
    provider: provider === null || provider === 'none' ? '–' : providerName(provider),
    reason,
  };
}

const headings = [
  ['Row', 'col-row'],
  ['Address', 'col-address'],
  ['Status', 'col-status'],
  ['Score', 'col-score'],
  ['Provider', 'col-provider'],
  ['Why', 'col-why'],
] as const;

/** How long somebody may pause while typing before the service is asked. */
const typingMs = 250;

type RowFiltersProps = { list: ListRecord; filter: RowFilter; onFilter: (wish: RowFilter) => void };

function RowFilters({ list, filter, onFilter }: RowFiltersProps) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const current = useRef(filter);
  current.current = filter;
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <div class="fields">
      <div class="field">
        <label for="rows-status">Filter by status</label>
        <select
          id="rows-status"
          value={filter.status}
          onChange={(event) => onFilter({ ...filter, status: event.currentTarget.value })}
        >
          <option value="">All statuses</option>
          {inOrder(list.by_status).map(({ status }) => (
            <option key={status} value={status}>
              {statusLabel(status)}
            </option>
          ))}
          {list.rejected > 0 ? <option value="rejected">{statusLabel('rejected')}</option> : null}
        </select>
      </div>
      <div class="field">
        <label for="rows-provider">Filter by provider</label>
        <select
          id="rows-provider"
          value={filter.provider}
          onChange={(event) => onFilter({ ...filter, provider: event.currentTarget.value })}
        >
          <option value="">All providers</option>
          {Object.keys(list.by_provider).map((provider) => (
            <option key={provider} value={provider}>
              {providerName(provider)}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="rows-search">Search addresses</label>
        <input
          id="rows-search"
          type="search"
          autocomplete="off"
          spellcheck={false}
          placeholder="name or domain"
          onInput={(event) => {
            const search = event.currentTarget.value.trim();
            clearTimeout(timer.current);
            timer.current = setTimeout(() => onFilter({ ...current.current, search }), typingMs);
          }}
        />
      </div>
    </div>
  );
}
