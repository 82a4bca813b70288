import { useSignal } from '@preact/signals';
import { grouped } from './format.ts';
import { Icon } from './icon.tsx';
import { statusLabel } from './statuses.ts';

type RowsFormProps = {
  /** How many rows there are in all, and of each status. */
  total: number;
  counts: readonly { status: string; count: number }[];
  /** Whether this is what one comes to the page for. */
  main: boolean;
  /** Without a status: all rows. */
  onDownload: (status: string | undefined) => void;
};

/** Which rows to download: all of them, or those of one status. */
export function RowsForm({ total, counts, main, onDownload }: RowsFormProps) {
  const status = useSignal('');
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        onDownload(status.value === '' ? undefined : status.value);
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
          <option value="">All rows ({grouped(total)})</option>
          {counts.map(({ status: one, count }) => (
            <option key={one} value={one}>
              {statusLabel(one)} ({grouped(count)})
            </option>
          ))}
        </select>
      </div>
      <button type="submit" class={main ? 'button button-main' : 'button'}>
        <Icon name="download" />
        Download
      </button>
    </form>
  );
}
