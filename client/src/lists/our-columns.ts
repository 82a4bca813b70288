import type { KeptAnswer } from './kept-answer.ts';
import type { Row } from './read-rows.ts';
import type { RowPlace } from './row-places.ts';

/** The columns that are added, in this order. docs/command-line.md explains them. */
const ourColumns = [
  'email_status',
  'email_score',
  'email_safe_to_send',
  'email_deliverable',
  'email_reason',
] as const;

/** Their headings; where the list has one of them already, as a checked list has, all get the next free number. */
export function ourHeadings(theirs: readonly string[]): string[] {
  for (let run = 1; ; run += 1) {
    const headings = ourColumns.map((name) => (run === 1 ? name : `${name}_${run}`));
    if (!headings.some((heading) => theirs.includes(heading))) return headings;
  }
}

/** Our cells of a row. Duplicates get the answer of their address; a blank row says that it is one. */
export function ourCells(place: RowPlace, answerOf: (number: number) => KeptAnswer): string[] {
  switch (place.kind) {
    case 'blank':
      return ['', '', '', '', 'blank'];
    case 'rejected':
      return ['rejected', '', '', '', place.reason];
    case 'address': {
      const { status, score, safeToSend, deliverable, reason } = answerOf(place.number);
      return [status, score === null ? '' : String(score), yesNo(safeToSend), yesNo(deliverable), reason];
    }
  }
}

function yesNo(value: boolean | null): string {
  return value === null ? '' : String(value);
}

/**
 * A cell of ours as it is written. Spreadsheets run what begins like a formula, and the words come from a service:
 * an apostrophe before it makes it text. Only our own cells are ever touched in this way.
 */
export function writeCell(text: string, delimiter: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return quoteCell(harmless, delimiter);
}

function quoteCell(text: string, delimiter: string): string {
  const needsQuotes = text.includes(delimiter) || /["\n\r]/.test(text);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A row with our cells. One that is shorter than the widest gets empty cells in between, so that ours stand under each
 * other; a wholly empty line stays what it is. A line of a plain list becomes the first cell of a CSV.
 */
export function widenRow(
  { text, end, cells }: Row,
  ours: string[],
  { delimiter, width }: { delimiter: string | undefined; width: number },
): string {
  if (text === '') return end;
  const between = delimiter ?? ',';
  const theirs = delimiter === undefined ? quoteCell(text, between) : text;
  const gap = between.repeat(width - cells.length);
  return `${theirs}${gap}${between}${ours.map((cell) => writeCell(cell, between)).join(between)}${end}`;
}
