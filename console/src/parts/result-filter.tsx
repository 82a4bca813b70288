import { useComputed, type ReadonlySignal, type Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { tallyByStatus } from './tally.ts';
import type { Arrangement, ResultRow } from './arrange-rows.ts';
import { grouped } from './format.ts';
import { statusLabel } from './statuses.ts';

/** Which rows are shown: those of a status, and those in which some text stands. */
export function ResultFilter({
  rows,
  wish,
}: {
  rows: ReadonlySignal<ResultRow[]>;
  wish: Signal<Arrangement>;
}) {
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
