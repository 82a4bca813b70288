import { decodeCell } from './decode-cell.ts';
import { findColumn } from './find-column.ts';
import { ListProblem } from './list-problem.ts';
import { createRowReader, type Row } from './read-rows.ts';

/** How a list is written, found by looking at its beginning. */
export type Layout = {
  /** None where the list is one address a line. */
  delimiter: string | undefined;
  /** The byte order mark at the beginning, a byte in each character, or nothing. */
  bom: string;
  hasHeader: boolean;
  /** Where the addresses are, from 0. */
  column: number;
  /** The columns as they are headed, or by number where they are not. */
  columns: string[];
};

/** The beginning of a list, a byte in each character, and whether that is all of it. */
export type ListSample = { text: string; isWhole: boolean };

type LayoutWish = {
  /** What the file is called, for its ending. */
  name: string;
  /** A column by its heading or number, where one was named. */
  column?: string | undefined;
};

/** As `Layout`; no column where none was found. */
export type FoundLayout = Omit<Layout, 'column'> & { column: number | undefined };

/** As much of a list as is looked at. */
export const sampleBytes = 262_144;
const sampleRows = 1_000;
const utf8Mark = '\u00ef\u00bb\u00bf';

export function findLayout({ text, isWhole }: ListSample, wish: LayoutWish): FoundLayout {
  if (/^(?:\u00ff\u00fe|\u00fe\u00ff)/.test(text) || text.includes('\0'))
    throw new ListProblem('The list is not UTF-8 text (it may be UTF-16). Save it as CSV UTF-8.');
  const bom = text.startsWith(utf8Mark) ? utf8Mark : '';
  const sample = { text: text.slice(bom.length), isWhole };
  const delimiter = findDelimiter(sample, wish.name);
  const rows = rowsOf(sample, delimiter);
  const header = headerOf(rows, delimiter);
  const found = findColumn({ header, rows: header === undefined ? rows : rows.slice(1), wish: wish.column });
  return { delimiter, bom, hasHeader: header !== undefined, ...found };
}

/** The one that makes most columns of the first row. A file without any is one address a line, unless it is called CSV. */
function findDelimiter(sample: ListSample, name: string): string | undefined {
  if (/\.(?:tsv|tab)$/i.test(name)) return '\t';
  if (/\.txt$/i.test(name) && !/^[^\n\r]*\t/.test(sample.text)) return undefined;
  const widths = [',', ';', '\t'].map((delimiter) => ({
    delimiter,
    width: widthOf(sample, delimiter),
  }));
  const [best] = widths.sort((a, b) => b.width - a.width);
  if (best !== undefined && best.width > 1) return best.delimiter;
  return /\.csv$/i.test(name) ? ',' : undefined;
}

function widthOf(sample: ListSample, delimiter: string): number {
  try {
    return rowsOf(sample, delimiter).find(({ text }) => text !== '')?.cells.length ?? 0;
  } catch (error) {
    // With the wrong delimiter a quote may seem never to be closed.
    if (error instanceof ListProblem) return 0;
    throw error;
  }
}

function rowsOf({ text, isWhole }: ListSample, delimiter: string | undefined): Row[] {
  const reader = createRowReader({ delimiter });
  const rows = reader.push(text);
  return (isWhole ? [...rows, ...reader.end()] : rows).slice(0, sampleRows);
}

/** A heading holds no @. Where there is one column only, it has to speak of mail as well: the line may be a mistake. */
function headerOf(rows: Row[], delimiter: string | undefined): string[] | undefined {
  const names = rows[0]?.cells.map((cell) => decodeCell(cell).trim());
  if (names === undefined || names.every((name) => name === '')) return undefined;
  if (names.some((name) => name.includes('@'))) return undefined;
  const isTable = delimiter !== undefined && names.length > 1;
  return isTable || /mail|address|adres/i.test(names[0] ?? '') ? names : undefined;
}
