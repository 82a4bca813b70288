import { ListProblem } from './list-problem.ts';

/**
 * A record of a text file: `text` is what stands in the file, quotes and all, and `end` the line end after it, so that
 * the records put together again are the file.
 */
export type TextRecord = { text: string; end: string; cells: string[] };

/** How the cells of a record are told apart; without a delimiter a line is one cell and quotes mean nothing. */
type RecordForm = { delimiter: string | undefined };

/** An unclosed quote would make one record of the rest of the file. */
const recordCharsMax = 1_048_576;

/**
 * Reads records as RFC 4180 has them, piece by piece. Beyond it: any delimiter, line ends of every kind, and quotes in
 * the middle of a cell, which stand for themselves. Holds one unfinished record.
 */
export function createRecordReader({ delimiter }: RecordForm) {
  let unfinished = '';
  let count = 0;

  function take(text: string, isLast: boolean): TextRecord[] {
    const records: TextRecord[] = [];
    let start = 0;
    while (start < text.length) {
      const read = readRecord(text, start, { delimiter, isLast });
      if (read === undefined) break;
      records.push(read.record);
      count += 1;
      start = read.next;
    }
    unfinished = text.slice(start);
    if (isLast ? unfinished !== '' : unfinished.length > recordCharsMax) throw neverEnds(count + 1, isLast);
    return records;
  }

  return {
    push: (piece: string): TextRecord[] => take(unfinished + piece, false),
    end: (): TextRecord[] => take(unfinished, true),
  };
}

function neverEnds(number: number, isLast: boolean): ListProblem {
  const what = isLast
    ? 'has an opening quote that is never closed.'
    : 'is longer than 1 MB. A closing quote may be missing.';
  return new ListProblem('invalid_list', `Row ${number} ${what}`);
}

type Reading = { delimiter: string | undefined; isLast: boolean };

/** The record that begins at `start`; nothing where the text ends before it does. */
function readRecord(
  text: string,
  start: number,
  reading: Reading,
): { record: TextRecord; next: number } | undefined {
  const cells: string[] = [];
  let at = start;
  for (;;) {
    const cell = readCell(text, at, reading);
    if (cell === undefined) return undefined;
    cells.push(cell.value);
    at = cell.next;
    if (at >= text.length && !reading.isLast) return undefined;
    if (at < text.length && text[at] === reading.delimiter) at += 1;
    else break;
  }
  const end = lineEndAt(text, at);
  if (end === '\r' && at + 1 === text.length && !reading.isLast) return undefined;
  return { record: { text: text.slice(start, at), end, cells }, next: at + end.length };
}

function readCell(
  text: string,
  start: number,
  { delimiter, isLast }: Reading,
): { value: string; next: number } | undefined {
  let value = '';
  let at = start;
  if (delimiter !== undefined && text[at] === '"') {
    for (;;) {
      const quote = text.indexOf('"', at + 1);
      if (quote === -1 || (quote + 1 === text.length && !isLast)) return undefined;
      value += text.slice(at + 1, quote);
      at = quote + 1;
      if (text[at] !== '"') break;
      value += '"';
    }
  }
  // Whatever follows a closing quote is no part of RFC 4180; it is taken as it stands.
  const next = endOfCell(text, at, delimiter);
  return { value: value + text.slice(at, next), next };
}

function endOfCell(text: string, start: number, delimiter: string | undefined): number {
  const stop = delimiter === undefined ? -1 : delimiter.charCodeAt(0);
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === stop || code === 10 || code === 13) break;
    at += 1;
  }
  return at;
}

function lineEndAt(text: string, at: number): string {
  if (at >= text.length) return '';
  return text.startsWith('\r\n', at) ? '\r\n' : (text[at] ?? '');
}
