import { useSignal } from '@preact/signals';
import { grouped } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { saveFile } from '../parts/save-file.ts';
import { statusLabel } from '../parts/statuses.ts';
import { nextFrame } from '../parts/next-frame.ts';
import type { OpenList } from './open-list.ts';
import { rowsOf } from './rows-of.ts';
import { tallyByStatus } from './tally.ts';
import { checkedName, writeCheckedList } from './write-checked-list.ts';

/** The list as it came, with our columns; all of it, or the rows of one status. */
export function DownloadForm({ list }: { list: OpenList }) {
  const status = useSignal('');
  const counts = tallyByStatus(rowsOf(list).filter((row) => row.status !== ''));
  const download = async () => {
    const wanted = status.value === '' ? undefined : status.value;
    const { bytes, layout, survey, answers } = list;
    const pieces = await writeCheckedList(
      { bytes, layout, survey, answerOf: (number) => answers[number], status: wanted },
      nextFrame,
    );
    saveFile(checkedName(list.name, layout, wanted), pieces);
  };
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        void download();
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
          <option value="">All rows ({grouped(list.survey.rows)})</option>
          {counts.map(({ status: one, count }) => (
            <option key={one} value={one}>
              {statusLabel(one)} ({grouped(count)})
            </option>
          ))}
        </select>
      </div>
      <button type="submit" class="button button-main">
        <Icon name="download" />
        Download
      </button>
    </form>
  );
}
