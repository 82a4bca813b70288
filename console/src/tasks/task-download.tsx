import { useSignal } from '@preact/signals';
import type { BulkResultRecord } from '@mailproof/client';
import { tallyByStatus } from '../lists/tally.ts';
import { grouped } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { saveFile } from '../parts/save-file.ts';
import { statusLabel } from '../parts/statuses.ts';
import { writeTaskResults } from './write-task-results.ts';

export function TaskDownload({ results, name }: { results: readonly BulkResultRecord[]; name: string }) {
  const status = useSignal('');
  const download = () => {
    const wanted = results.filter((record) => status.value === '' || record.status === status.value);
    const stem = name.replace(/[^\w.-]+/g, '-').replace(/\.(?:csv|tsv|txt)$/i, '');
    saveFile(`${stem}.${status.value || 'checked'}.csv`, [writeTaskResults(wanted)]);
  };
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        download();
      }}
    >
      <div class="field">
        <label for="download-rows">Rows to download</label>
        <select
          id="download-rows"
          value={status.value}
          onChange={(event) => {
            status.value = event.currentTarget.value;
          }}
        >
          <option value="">All rows ({grouped(results.length)})</option>
          {tallyByStatus(results).map(({ status: one, count }) => (
            <option key={one} value={one}>
              {statusLabel(one)} ({grouped(count)})
            </option>
          ))}
        </select>
      </div>
      <button type="submit" class="button">
        <Icon name="download" />
        Download
      </button>
    </form>
  );
}
