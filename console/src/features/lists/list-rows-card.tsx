import type { Explanation, ListRecord, ListRow } from '@mailproof/client';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useLoaded } from '../../app/loading.ts';
import { FailureNotice } from '../../app/page.tsx';
import { useConsole } from '../../app/use-console.ts';
import { DidYouMean, EvidenceView } from '../../core/check/result-card.tsx';
import { Dialog, StatusBadge, TableHead } from '../../parts/elements.tsx';
import { counted, grouped } from '../../parts/format.ts';
import { providerName } from '../../parts/providers.ts';
import { RowsWindow } from '../../parts/rows-window.tsx';
import type { ResultRow } from '../../parts/rows.ts';
import { inOrder, isShownStatus, reasonSentence, statusLabel, statusWords } from '../../parts/statuses.ts';
import { rowPath } from './upload.ts';
import { type ListRows, mostRows, type RowFilter, useListRows } from './use-list-rows.ts';

const noFilter: RowFilter = { status: '', provider: '', search: '' };

/** The rows of the list, read as the person scrolls. */
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

/** Returns the number of rows to scroll; without a filter it is known from the start. */
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
    // The reason says that no mail server was asked.
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

/** Pause in typing after which the service is asked. */
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

type RowDialogProps = { listId: string; row: ListRow; onClose: () => void };

/** One row of a list with all its evidence. */
function RowDialog({ listId, row, onClose }: RowDialogProps) {
  const { status } = row;
  return (
    <Dialog title={row.email ?? `Row ${row.row}`} onClose={onClose}>
      {status === null ? null : (
        <p>
          <StatusBadge status={status} />
        </p>
      )}
      {row.repaired === null ? null : (
        <p>
          Read as <code>{row.repaired}</code>.
        </p>
      )}
      {hasExplanation(row) ? <RowEvidence listId={listId} row={row} /> : <RowReason row={row} />}
      <div class="buttons">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/** Returns false for rows without a mail host's answer: they have only a reason. */
function hasExplanation({ status, reason }: ListRow): boolean {
  return status !== null && status !== 'rejected' && reason !== 'deadline_reached';
}

function RowReason({ row: { status, reason } }: { row: ListRow }) {
  return (
    <>
      {status !== null && isShownStatus(status) ? <p>{statusWords[status].meaning}</p> : null}
      <p>{reason === '' ? 'The service gave no reason.' : reasonSentence(reason)}</p>
    </>
  );
}

function RowEvidence({ listId, row }: { listId: string; row: ListRow }) {
  const { api } = useConsole();
  const explanation = useLoaded(() =>
    api.ask<Explanation>({ method: 'GET', path: rowPath(listId, row.row) }),
  );
  if (explanation.failure.value !== undefined) return <FailureNotice failure={explanation.failure.value} />;
  if (explanation.value.value === undefined) return <p class="hint">Loading …</p>;
  const result = explained(row, explanation.value.value);
  return (
    <>
      <DidYouMean result={result} />
      <EvidenceView result={result} />
    </>
  );
}

/** Returns a row and its explanation in the shape of a single verification. */
function explained(row: ListRow, explanation: Explanation): Parameters<typeof EvidenceView>[0]['result'] {
  const email = row.repaired ?? row.email ?? '';
  const at = email.lastIndexOf('@');
  const status = row.status ?? '';
  return {
    email,
    status: isShownStatus(status) && status !== 'rejected' ? status : 'unknown',
    ...(at > 0 ? { username: email.slice(0, at), domain: email.slice(at + 1) } : {}),
    // Only a domain that accepts mail has a mail host.
    ...(explanation.mail_host === undefined ? {} : { mx_accepts_mail: true }),
    ...(status === 'role_account' ? { is_role_account: true } : {}),
    explanation,
  };
}
