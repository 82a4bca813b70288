import { useConsole } from '../app/use-console.ts';
import { counted } from '../parts/format.ts';
import { nextFrame } from '../parts/next-frame.ts';
import { RowsForm } from '../parts/rows-form.tsx';
import { saveFile } from '../parts/save-file.ts';
import { rowsOf } from '../list-run/rows-of.ts';
import { tallyByStatus } from '../parts/tally.ts';
import { checkedName, writeCheckedList } from '../list-run/write-checked-list.ts';
import { Counts } from './ready-list.tsx';
import type { OpenList } from '../list-run/open-list.ts';

/** A list that has been checked: its counts, its cost and the download. */
export function DoneList({ list }: { list: OpenList }) {
  const { lists, session } = useConsole();
  const state = session.state.value;
  const isFree = state.kind === 'account' && state.account.key.mode === 'test';
  const charged = list.answers.filter(
    (answer) => answer !== undefined && answer.status !== 'unknown' && answer.status !== 'rejected',
  ).length;
  return (
    <section class="card progress-card" aria-labelledby="done-title">
      <div class="card-head">
        <h2 id="done-title">{list.name} has been checked</h2>
        <button type="button" class="button button-small" onClick={() => void lists.clear()}>
          Check another list
        </button>
      </div>
      <Counts list={list} />
      <DownloadForm list={list} />
      <p class="hint">
        {isFree ? 'Nothing was charged (test key).' : `${counted(charged, 'credit')} charged.`} The list and
        its results stay in this browser until you check another list or sign out.
      </p>
    </section>
  );
}

/** The list as it came, with our columns; all of it, or the rows of one status. */
function DownloadForm({ list }: { list: OpenList }) {
  const counts = tallyByStatus(rowsOf(list).filter((row) => row.status !== ''));
  const download = async (wanted: string | undefined) => {
    const { bytes, layout, survey, answers } = list;
    const pieces = await writeCheckedList(
      { bytes, layout, survey, answerOf: (number) => answers[number], status: wanted },
      nextFrame,
    );
    saveFile(checkedName(list.name, layout, wanted), pieces);
  };
  return (
    <RowsForm total={list.survey.rows} counts={counts} main onDownload={(wanted) => void download(wanted)} />
  );
}
