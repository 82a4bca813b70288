import {
  createRowReader,
  fromByteText,
  ourCells,
  ourHeadings,
  toByteText,
  widenRow,
  type KeptAnswer,
  type Layout,
} from '@mailproof/client/lists';
import type { Survey } from './survey-list.ts';

type Checked = {
  bytes: Uint8Array;
  layout: Layout;
  survey: Survey;
  answerOf: (number: number) => KeptAnswer | undefined;
  /** Only the rows with this status; all of them unless given. */
  status?: string | undefined;
};

const pieceBytes = 262_144;
const notChecked: KeptAnswer = {
  status: '',
  score: null,
  safeToSend: null,
  deliverable: null,
  reason: 'not_checked',
};

/**
 * The list again, row by row as it stands, each with our cells before its line end: the same bytes that `check` of the
 * command line writes. A heading stays whatever rows are asked for.
 */
export async function writeCheckedList(
  { bytes, layout, survey, answerOf, status }: Checked,
  pause: () => Promise<void>,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const reader = createRowReader(layout);
  const form = { delimiter: layout.delimiter, width: survey.width };
  const pieces = [fromByteText(layout.bom)];
  let row = layout.hasHeader ? -1 : 0;
  const write = (rows: ReturnType<typeof reader.push>): void => {
    let text = '';
    for (const read of rows) {
      const ours =
        row < 0
          ? ourHeadings(layout.columns)
          : ourCells(survey.places.at(row), (number) => answerOf(number) ?? notChecked);
      if (row < 0 || status === undefined || ours[0] === status) text += widenRow(read, ours, form);
      row += 1;
    }
    pieces.push(fromByteText(text));
  };
  for (let at = layout.bom.length; at < bytes.length; at += pieceBytes) {
    write(reader.push(toByteText(bytes.subarray(at, at + pieceBytes))));
    await pause();
  }
  write(reader.end());
  return pieces;
}

/** `people.csv` becomes `people.checked.csv`, or `people.safe.csv`. A plain list becomes a CSV. */
export function checkedName(name: string, layout: Layout, status: string | undefined): string {
  const dot = name.lastIndexOf('.');
  const stem = dot > 0 ? name.slice(0, dot) : name;
  const ending = layout.delimiter === '\t' ? 'tsv' : 'csv';
  return `${stem === '' ? 'list' : stem}.${status ?? 'checked'}.${ending}`;
}
