import { Readable } from 'node:stream';
import type { Reader } from '../../core/store/statement.ts';
import { layoutOf, type List } from './list.ts';
import { readRowWindows } from './read-rows.ts';
import { readList, type FileRow } from './reading/read-list.ts';
import type { WorkbookReaders } from './reading/workbook-readers.ts';
import { isChosen, presentRow, type RowChoice, type RowResult } from './row-result.ts';
import { openStoredFile } from './stored-file.ts';
import { rowsOfLine } from './survey-list.ts';
import { ourCells, ourHeadings } from './our-columns.ts';
import { createCsvWriter } from './write-csv.ts';
import { sheetRowsMax, writeXlsx } from './write-xlsx.ts';

/**
 * A checked list as a file: every row as it came, with our columns behind it. The file is read again from the store and
 * its rows are put beside their answers, a window at a time, so that a million rows take no more memory than a thousand.
 */
export type DownloadFormat = 'csv' | 'xlsx' | 'jsonl';

export type Download = { choice: RowChoice; format: DownloadFormat };

export function writeDownload(
  reader: Reader,
  list: List,
  { choice, format, workbooks }: Download & { workbooks: WorkbookReaders },
): Readable {
  const pairs = pairRows(reader, list, workbooks);
  switch (format) {
    case 'csv':
      return Readable.from(csvText(list, pairs, choice), { objectMode: false });
    case 'jsonl':
      return Readable.from(jsonLines(list, pairs, choice), { objectMode: false });
    case 'xlsx':
      return writeXlsx(sheetRows(list, pairs, choice));
  }
}

/** A line with the answer of its row; lines above the rows have none. */
type Pair = { line: FileRow; result: RowResult | undefined };

async function* pairRows(reader: Reader, list: List, workbooks: WorkbookReaders): AsyncGenerator<Pair[]> {
  const { plan } = list;
  if (plan === undefined) throw new Error('a list that is not surveyed cannot be downloaded');
  const results = eachOf(readRowWindows(reader, list));
  const file = openStoredFile(reader, { listId: list.id, size: list.file.bytes });
  for await (const lines of readList(file, plan, workbooks.readerFor(list))) {
    const pairs: Pair[] = [];
    for (const line of lines) {
      if (line.kind !== 'row') pairs.push({ line, result: undefined });
      for (const surveyed of rowsOfLine(line, plan, { split: list.split })) {
        const next = await results.next();
        if (next.done === true) throw new Error('a list has fewer rows than its file');
        // Of a line that is several rows each has its own address in the first place.
        const isWholeLine = plan.layout.shape === 'table';
        const text = surveyed.kind === 'address' ? surveyed.address.email : (next.value.email ?? '');
        pairs.push({ line: isWholeLine ? line : { ...line, text, cells: [text] }, result: next.value });
      }
    }
    yield pairs;
  }
}

async function* eachOf<T>(batches: AsyncIterable<T[]>): AsyncGenerator<T, undefined> {
  for await (const batch of batches) yield* batch;
  return undefined;
}

function widthOf(list: List): number {
  return layoutOf(list).columns.length;
}

function headingsOf(list: List): string[] {
  return layoutOf(list).columns.map(({ name }) => name);
}

async function* csvText(list: List, pairs: AsyncIterable<Pair[]>, choice: RowChoice): AsyncGenerator<string> {
  const { plan } = list;
  if (plan === undefined) return;
  const csv = createCsvWriter({ plan, width: widthOf(list) });
  const headings = ourHeadings(headingsOf(list), list);
  // A list without a heading gets one, so that our columns have names.
  let text = csv.opening + (plan.layout.hasHeading ? '' : csv.row(headingLine(list), headings));
  for await (const batch of pairs) {
    for (const { line, result } of batch) {
      if (line.kind === 'above') text += csv.above(line);
      else if (line.kind === 'heading') text += csv.row(line, headings);
      else if (result !== undefined && isChosen(choice, result))
        text += csv.row(line, ourCells(result, list));
    }
    if (text !== '') yield text;
    text = '';
  }
}

function headingLine(list: List): Pick<FileRow, 'text' | 'end' | 'cells'> {
  const cells = headingsOf(list);
  return { text: cells.join(layoutOf(list).delimiter ?? ','), end: '', cells };
}

async function* jsonLines(
  list: List,
  pairs: AsyncIterable<Pair[]>,
  choice: RowChoice,
): AsyncGenerator<string> {
  const names = headingsOf(list);
  for await (const batch of pairs) {
    let text = '';
    for (const { line, result } of batch) {
      if (result === undefined || !isChosen(choice, result)) continue;
      const columns = Object.fromEntries(
        line.cells.map((cell, index) => [names[index] ?? `column ${index + 1}`, cell]),
      );
      text += `${JSON.stringify({ ...presentRow(result), columns, sandbox: list.mode === 'test' })}\n`;
    }
    if (text !== '') yield text;
  }
}

async function* sheetRows(
  list: List,
  pairs: AsyncIterable<Pair[]>,
  choice: RowChoice,
): AsyncGenerator<string[][]> {
  const width = widthOf(list);
  const pad = (cells: string[]): string[] => [
    ...cells,
    ...Array<string>(Math.max(0, width - cells.length)).fill(''),
  ];
  const heading = [...pad(headingsOf(list)), ...ourHeadings(headingsOf(list), list)];
  let written = 1;
  yield [heading];
  for await (const batch of pairs) {
    const rows = batch.flatMap(({ line, result }) =>
      result !== undefined && isChosen(choice, result)
        ? [[...pad(line.cells), ...ourCells(result, list)]]
        : [],
    );
    const room = sheetRowsMax - written;
    written += rows.length;
    yield rows.slice(0, room);
    if (written >= sheetRowsMax) return;
  }
}
