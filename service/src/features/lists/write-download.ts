import { Readable } from 'node:stream';
import type { Reader } from '../../core/store/statement.ts';
import { layoutOf, type List } from './list.ts';
import { readList, type FileRow, type ReadingPlan } from './reading/read-list.ts';
import type { WorkbookReaders } from './reading/workbook-readers.ts';
import { isChosen, presentRow, type RowChoice, type RowResult, readRowWindows } from './row-result.ts';
import { openStoredFile } from './list-storage.ts';
import { rowsOfLine } from './survey-list.ts';
import { sheetRowsMax, writeXlsx } from './write-xlsx.ts';

/**
 * Formats of a checked list: every row as uploaded, with our columns behind it. The stored file is read again and
 * paired with the answers, a window at a time. A million rows so take no more memory than a thousand.
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

/** A line with the answer of its row; lines above the rows have no answer. */
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
        // If a line makes several rows, each row has its own address.
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

/** Columns that are added to a list, in this order. docs/checking-lists.md explains them. */
const names = [
  'email_status',
  'email_score',
  'email_safe_to_send',
  'email_deliverable',
  'email_reason',
  'email_repaired',
] as const;

/** Returns our headings. If the list already has one of them, as a checked list does, all get the next free number. */
function ourHeadings(theirs: readonly string[], list: Pick<List, 'mode' | 'suggestions'>): string[] {
  const ours = [
    ...names,
    ...(hasSuggestions(list) ? ['email_did_you_mean'] : []),
    ...(isSandbox(list) ? ['email_sandbox'] : []),
  ];
  for (let run = 1; ; run += 1) {
    const headings = ours.map((name) => (run === 1 ? name : `${name}_${run}`));
    if (!headings.some((heading) => theirs.includes(heading))) return headings;
  }
}

function ourCells(result: RowResult, list: Pick<List, 'mode' | 'suggestions'>): string[] {
  const { status, score, safeToSend, deliverable, reason, repaired, didYouMean } = result;
  return [
    status ?? '',
    score === null ? '' : String(score),
    yesNo(safeToSend),
    yesNo(deliverable),
    reason,
    repaired ?? '',
    ...(hasSuggestions(list) ? [didYouMean ?? ''] : []),
    ...(isSandbox(list) ? ['true'] : []),
  ];
}

/** A list without suggestions gets no empty column. */
function hasSuggestions({ suggestions }: Pick<List, 'suggestions'>): boolean {
  return suggestions.length > 0;
}

function isSandbox({ mode }: Pick<List, 'mode'>): boolean {
  return mode === 'test';
}

function yesNo(value: boolean | null): string {
  return value === null ? '' : String(value);
}

/**
 * Makes a cell text for spreadsheets, which run anything that begins like a formula. Our words may come from strangers'
 * files and servers. Only our own cells get the apostrophe.
 */
function harmless(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

/**
 * Writes lines of a checked list as CSV: the file's own text, unchanged and with its delimiter, then our cells. A
 * workbook gets commas. The output is UTF-8, with the byte order mark that spreadsheets need unless the file was UTF-8
 * without one.
 */
function createCsvWriter({ plan, width }: { plan: ReadingPlan; width: number }) {
  const delimiter = plan.layout.delimiter ?? ',';
  const isTextTable =
    plan.kind === 'text' && plan.layout.shape === 'table' && plan.layout.delimiter !== undefined;
  const needsMark = plan.kind === 'workbook' || plan.hasMark || plan.encoding !== 'utf-8';
  let lineEnd = '\n';

  /** Pads a line that is shorter than the widest with empty cells, so that our columns align. */
  function theirs({ text, cells }: Pick<FileRow, 'text' | 'cells'>): string {
    const written = isTextTable ? text : cells.map((cell) => quote(cell, delimiter)).join(delimiter);
    return written + delimiter.repeat(Math.max(0, width - Math.max(1, cells.length)));
  }

  return {
    opening: needsMark ? '\ufeff' : '',
    /** Returns a line above the heading, unchanged. */
    above({ text, end, cells }: FileRow): string {
      lineEnd = end === '' ? lineEnd : end;
      return (
        (plan.kind === 'text' ? text : cells.map((cell) => quote(cell, delimiter)).join(delimiter)) + lineEnd
      );
    },
    row(line: Pick<FileRow, 'text' | 'end' | 'cells'>, ours: string[]): string {
      lineEnd = line.end === '' ? lineEnd : line.end;
      const added = ours.map((cell) => quote(harmless(cell), delimiter)).join(delimiter);
      return `${theirs(line)}${delimiter}${added}${lineEnd}`;
    },
  };
}

function quote(text: string, delimiter: string): string {
  const needsQuotes = text.includes(delimiter) || /["\n\r]/.test(text);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}
