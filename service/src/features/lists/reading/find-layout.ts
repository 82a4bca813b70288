import { ListProblem } from './list-problem.ts';
import { createRecordReader, type TextRecord } from './read-records.ts';
import { readCell } from './read-cell.ts';

/** How a list is laid out, found by looking at its first rows. */
export type Layout = {
  /** None where a line is one cell. */
  delimiter: string | undefined;
  /** `addresses`: every cell is an address of its own, as in a line copied from a mail program. */
  shape: 'table' | 'addresses';
  /** Lines above the heading: a `sep=` line, titles. They are kept and are no rows. */
  linesAbove: number;
  hasHeading: boolean;
  columns: { name: string; samples: string[] }[];
  /** Where the addresses are, from 0. */
  column: number;
};

/** A column by its place, from 0, or by its heading. */
export type ColumnWish = number | string;

type Sample = { rows: string[][]; delimiter: string | undefined; linesAbove?: number };

const sampleRows = 1_000;
const samplesShown = 3;
const sampleCharsShown = 60;
const titleLinesMax = 20;
/** A table is looked through column by column, so its width is bounded as its height is. */
const columnsMax = 2_000;
/** Columns that are named in a message. */
const columnsTold = 20;
const delimiters = [',', ';', '\t', '|'];

/** The delimiter that explains the text best, and the first rows as it divides them. */
export function sampleText(text: string, isWhole: boolean): Sample {
  const announced = /^sep=([,;\t|])\r?\n/i.exec(text);
  if (announced?.[1] !== undefined) {
    const rows = recordsOf(text, isWhole, announced[1]).map(({ cells }) => cells);
    return { rows: rows.slice(1), delimiter: announced[1], linesAbove: 1 };
  }
  const divided = delimiters.map((delimiter) => {
    const rows = tryRecords(text, isWhole, delimiter);
    return { delimiter, rows, width: usualWidth(rows) };
  });
  const best = divided.reduce((a, b) => (b.width > a.width ? b : a));
  if (best.width > 1) return { rows: best.rows, delimiter: best.delimiter };
  const lines = recordsOf(text, isWhole, undefined).map(({ cells }) => cells);
  // One column in quotes is still CSV: the quotes are not part of the addresses.
  const isQuoted = lines.some(([line]) => /^\s*"[^"]*"\s*$/.test(line ?? ''));
  return isQuoted && best.rows.length > 0
    ? { rows: best.rows, delimiter: ',' }
    : { rows: lines, delimiter: undefined };
}

function tryRecords(text: string, isWhole: boolean, delimiter: string): string[][] {
  try {
    return recordsOf(text, isWhole, delimiter).map(({ cells }) => cells);
  } catch (error) {
    // With the wrong delimiter a quote may seem never to be closed.
    if (error instanceof ListProblem) return [];
    throw error;
  }
}

function recordsOf(text: string, isWhole: boolean, delimiter: string | undefined): TextRecord[] {
  const reader = createRecordReader({ delimiter });
  const records = reader.push(text);
  return (isWhole ? [...records, ...reader.end()] : records).slice(0, sampleRows);
}

/** The width that most rows have; wider ones win between equals. */
function usualWidth(rows: string[][]): number {
  const counts = new Map<number, number>();
  for (const row of rows) if (!isBlank(row)) counts.set(row.length, (counts.get(row.length) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0] ?? 0;
}

/** Where the addresses are. Throws a `ListProblem` that says what was seen where there are none. */
export function findLayout({ rows, delimiter, linesAbove = 0 }: Sample, wish?: ColumnWish): Layout {
  if (rows.every(isBlank))
    throw new ListProblem('invalid_list', 'The file is empty. Upload a list with at least one address.');
  if (wish === undefined && areAllAddresses(rows)) {
    return {
      delimiter,
      shape: 'addresses',
      linesAbove,
      hasHeading: false,
      columns: columnsOf(rows, undefined, 1),
      column: 0,
    };
  }
  const titles = titleLines(rows);
  const body = rows.slice(titles);
  const heading = headingOf(body, delimiter);
  const data = heading === undefined ? body : body.slice(1);
  const width = Math.max(heading?.length ?? 0, ...data.map((row) => row.length), 1);
  if (width > columnsMax) throw tooWide(width);
  const columns = columnsOf(data, heading, width);
  const names = columns.map(({ name }) => name);
  const column = wish === undefined ? addressColumn(names, data) : wishedColumn(names, wish);
  if (column === undefined) throw noColumn(columns, data);
  return {
    delimiter,
    shape: 'table',
    linesAbove: linesAbove + titles,
    hasHeading: heading !== undefined,
    columns,
    column,
  };
}

function isBlank(row: string[]): boolean {
  return row.every((cell) => cell.trim() === '');
}

function holdsAddress(cell: string | undefined): boolean {
  return cell?.includes('@') === true || cell?.includes('\uff20') === true
    ? readCell(cell).kind === 'address'
    : false;
}

/** Addresses in every cell of lines of different lengths, or in one or two lines: nobody's table. */
function areAllAddresses(rows: string[][]): boolean {
  const filled = rows.filter((row) => !isBlank(row));
  const widths = new Set(filled.map((row) => row.length));
  if (Math.max(...widths) < 2 || (widths.size === 1 && filled.length > 3)) return false;
  const cells = filled.flat().filter((cell) => cell.trim() !== '');
  return cells.filter(holdsAddress).length * 10 >= cells.length * 9;
}

/** Lines above the heading that are narrower than the table, such as a title and an empty line. */
function titleLines(rows: string[][]): number {
  const width = usualWidth(rows);
  if (width < 2) return 0;
  const isTitle = (row: string[]): boolean =>
    !row.some(holdsAddress) && row.filter((cell) => cell.trim() !== '').length < Math.min(2, width);
  const first = rows.slice(0, titleLinesMax).findIndex((row) => !isTitle(row));
  return Math.max(0, first);
}

/** A heading holds no address. Where there is one column only, it has to speak of mail: the line may be a mistake. */
function headingOf(rows: string[][], delimiter: string | undefined): string[] | undefined {
  const names = rows[0]?.map((cell) => cell.trim());
  if (names === undefined || names.every((name) => name === '') || names.some((name) => name.includes('@')))
    return undefined;
  const isTable = delimiter !== undefined && names.length > 1;
  return isTable || speaksOfMail(names[0] ?? '') ? names : undefined;
}

function columnsOf(data: string[][], heading: string[] | undefined, width: number): Layout['columns'] {
  return Array.from({ length: width }, (_, index) => ({
    name: heading?.[index] || `column ${index + 1}`,
    samples: data
      .map((row) => row[index]?.trim() ?? '')
      .filter((cell) => cell !== '')
      .slice(0, samplesShown)
      .map((cell) => cell.slice(0, sampleCharsShown)),
  }));
}

/** Headings that mean the address and nothing else, letters only. */
const addressHeadings = new Set([
  'email',
  'emails',
  'mail',
  'emailaddress',
  'mailaddress',
  'emailadresse',
  'courriel',
  'correo',
  'eposta',
]);

function speaksOfMail(name: string): boolean {
  return rankOf(name) > 0 || /address|adres|correo|courriel/i.test(name);
}

function rankOf(name: string): number {
  const letters = name.toLowerCase().replace(/[^a-z]/g, '');
  if (addressHeadings.has(letters)) return 2;
  return letters.includes('mail') ? 1 : 0;
}

/**
 * The column most of whose cells hold an address; among several the one whose heading says so, then the fullest. A
 * column that is headed as one is taken with fewer.
 */
function addressColumn(names: string[], data: string[][]): number | undefined {
  const candidates = names.map((name, index) => {
    const filled = data.map((row) => row[index] ?? '').filter((cell) => cell.trim() !== '');
    return { index, rank: rankOf(name), filled: filled.length, hits: filled.filter(holdsAddress).length };
  });
  const likely = candidates.filter(({ hits, filled, rank }) => hits > 0 && (hits * 2 > filled || rank === 2));
  const most = Math.max(0, ...likely.map(({ hits }) => hits));
  // A second column of addresses may be filled less than the one that is meant, or more.
  return likely.filter(({ hits }) => hits * 2 >= most).sort((a, b) => b.rank - a.rank || b.hits - a.hits)[0]
    ?.index;
}

function wishedColumn(names: string[], wish: ColumnWish): number {
  const wanted = typeof wish === 'string' ? wish.trim().toLowerCase() : undefined;
  const column =
    wanted === undefined ? Number(wish) : names.findIndex((name) => name.toLowerCase() === wanted);
  if (names[column] !== undefined) return column;
  const what = typeof wish === 'string' ? `called “${wish}”` : `number ${wish} (they count from 0)`;
  const more = names.length > columnsTold ? `, and ${names.length - columnsTold} more` : '';
  const told = names.slice(0, columnsTold).map((name) => name.slice(0, sampleCharsShown));
  throw new ListProblem(
    'invalid_list',
    `The file has no column ${what}. Its columns are: ${told.join(', ')}${more}.`,
  );
}

function tooWide(width: number): ListProblem {
  return new ListProblem(
    'invalid_list',
    `The file has ${width.toLocaleString('en-US')} columns. Keep the ones you need, at most ${columnsMax.toLocaleString('en-US')}.`,
  );
}

function noColumn(columns: Layout['columns'], data: string[][]): ListProblem {
  const seen = columns
    .slice(0, 5)
    .map(({ name, samples }) =>
      samples[0] === undefined
        ? `${name.slice(0, sampleCharsShown)} (empty)`
        : `${name.slice(0, sampleCharsShown)} (such as “${samples[0]}”)`,
    )
    .join(', ');
  const some = data.some((row) => row.some(holdsAddress));
  const what = some ? 'No column holds mostly email addresses' : 'We found no email addresses in this file';
  return new ListProblem(
    'invalid_list',
    `${what}. Columns seen: ${seen}. Check that this is the right file, or name the column.`,
  );
}
