import { useSignal } from '@preact/signals';
import type { ListRecord } from '@mailproof/client';
import { downloadPath } from '../api/lists-api.ts';
import { Icon } from '../parts/icon.tsx';
import { hasEnded } from './use-list.ts';
import { pathTo } from '../app/base-path.ts';

const choices = [
  { value: 'all', label: 'All rows' },
  { value: 'sendable', label: 'Can be mailed (safe, role accounts)' },
  { value: 'risky', label: 'Risky (catch-all, inbox full, unknown)' },
  { value: 'undeliverable', label: 'Should not be mailed' },
] as const;

const formats = [
  { value: 'csv', label: 'CSV' },
  { value: 'xlsx', label: 'Excel (.xlsx)' },
  { value: 'jsonl', label: 'JSON Lines' },
] as const;

/** The file with the results: which rows of it, and in which form. */
export function DownloadForm({ list }: { list: ListRecord }) {
  const rows = useSignal<string>('all');
  const format = useSignal<string>('csv');
  const withRoles = useSignal(true);
  const wish = { rows: rows.value, format: format.value, withRoles: withRoles.value };
  return (
    <div class="fields download-form" role="group" aria-label="Download">
      <div class="field">
        <label for="download-rows">Rows to download</label>
        <select
          id="download-rows"
          value={rows.value}
          onChange={(event) => (rows.value = event.currentTarget.value)}
        >
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="download-format">Format</label>
        <select
          id="download-format"
          value={format.value}
          onChange={(event) => (format.value = event.currentTarget.value)}
        >
          {formats.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {rows.value === 'sendable' ? (
        <label class="inline-field">
          <input
            type="checkbox"
            checked={withRoles.value}
            onChange={(event) => (withRoles.value = event.currentTarget.checked)}
          />
          With role accounts
        </label>
      ) : null}
      <a
        class={hasEnded(list) ? 'button button-main' : 'button'}
        href={pathTo(downloadPath(list.list_id, wish))}
        download=""
      >
        <Icon name="download" />
        {hasEnded(list) ? 'Download' : 'Download results so far'}
      </a>
    </div>
  );
}
