import { nextFrame } from '../parts/next-frame.ts';
import { RowsForm } from '../parts/rows-form.tsx';
import { saveFile } from '../parts/save-file.ts';
import type { OpenList } from './open-list.ts';
import { rowsOf } from './rows-of.ts';
import { tallyByStatus } from './tally.ts';
import { checkedName, writeCheckedList } from './write-checked-list.ts';

/** The list as it came, with our columns; all of it, or the rows of one status. */
export function DownloadForm({ list }: { list: OpenList }) {
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
