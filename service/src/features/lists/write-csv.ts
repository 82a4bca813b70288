import type { FileRow, ReadingPlan } from './reading/read-list.ts';
import { harmless } from './our-columns.ts';

/**
 * Lines of a checked list as CSV. What stood in the file stands there again, to the letter and in its own delimiter, and
 * our cells behind it; a workbook becomes commas. UTF-8, with the mark that spreadsheets need unless the file came as
 * UTF-8 without one.
 */
export function createCsvWriter({ plan, width }: { plan: ReadingPlan; width: number }) {
  const delimiter = plan.layout.delimiter ?? ',';
  const isTextTable =
    plan.kind === 'text' && plan.layout.shape === 'table' && plan.layout.delimiter !== undefined;
  const needsMark = plan.kind === 'workbook' || plan.hasMark || plan.encoding !== 'utf-8';
  let lineEnd = '\n';

  /** One that is shorter than the widest gets empty cells in between, so that ours stand under each other. */
  function theirs({ text, cells }: Pick<FileRow, 'text' | 'cells'>): string {
    const written = isTextTable ? text : cells.map((cell) => quote(cell, delimiter)).join(delimiter);
    return written + delimiter.repeat(Math.max(0, width - Math.max(1, cells.length)));
  }

  return {
    opening: needsMark ? '\ufeff' : '',
    /** A line above the heading, as it was. */
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
