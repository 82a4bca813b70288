import { ListProblem } from './list-problem.ts';

/**
 * A row of a list. `text` is what stands in the file, quotes and all, and `end` the line end after it, so that
 * the rows put together again are the file. Both hold a byte in each character (Latin-1): the reader
 * needs to know no encoding, and loses none.
 */
export type Row = { text: string; end: string; cells: string[] };

/** How the cells of a row are told apart; without a delimiter a row is one cell and quotes mean nothing. */
type RowForm = { delimiter: string | undefined };

/** An unclosed quote would make one row of the rest of the file. */
const rowBytesMax = 1_048_576;

/**
 * Reads rows as RFC 4180 has them, piece by piece. Beyond it: any delimiter, line ends of every kind, and quotes in
 * the middle of a cell, which stand for themselves. Holds one unfinished row.
 */
export function createRowReader({ delimiter }: RowForm) {
  let unfinished = '';
  let count = 0;

  function take(text: string, isLast: boolean): Row[] {
    const rows: Row[] = [];
    let start = 0;
    while (start < text.length) {
      const read = readRow(text, start, { delimiter, isLast });
      if (read === undefined) break;
      rows.push(read.row);
      count += 1;
      start = read.next;
    }
    unfinished = text.slice(start);
    if (isLast ? unfinished !== '' : unfinished.length > rowBytesMax) throw neverEnds(count + 1, isLast);
    return rows;
  }

  return {
    /** Takes the next bytes of the list, one in each character. */
    push: (piece: string): Row[] => take(unfinished + piece, false),
    end: (): Row[] => take(unfinished, true),
  };
}

function neverEnds(number: number, isLast: boolean): ListProblem {
  const what = isLast
    ? 'has an opening quote that is never closed.'
    : 'is longer than 1 MB. A closing quote may be missing.';
  return new ListProblem(`Row ${number} ${what}`);
}

type Reading = { delimiter: string | undefined; isLast: boolean };

/** The row that begins at `start`; nothing where the text ends before it does. */
function readRow(text: string, start: number, reading: Reading): { row: Row; next: number } | undefined {
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
  return { row: { text: text.slice(start, at), end, cells }, next: at + end.length };
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
