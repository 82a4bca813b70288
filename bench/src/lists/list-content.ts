/** The lists of the benchmark, as a rule and not as data: a row is made when it is sent and again when it comes back. */
import { makeWorkbook } from '../../../service/test/support/make-workbook.ts';
import { addressOf, type Population } from '../engine/population.ts';

export type ListRow = {
  cells: string[];
  /** What must stand in `email_status`. */
  status: string;
};

export type ListContent = {
  headings: string[];
  rows: number;
  row: (index: number) => ListRow;
};

const headings = ['Name', 'Email', 'Company', 'Since'];
const domains = 20_000;
/** Half of the addresses are good, as in a list that has been looked after. */
const statuses = [
  'safe',
  'invalid',
  'safe',
  'catch_all',
  'safe',
  'unknown',
  'safe',
  'role_account',
  'safe',
  'inbox_full',
] as const;

/** Answered by the sandbox. One row in a hundred is a duplicate of an earlier one, one in a thousand is no address. */
export function sandboxList(rows: number): ListContent {
  const row = (index: number): ListRow => {
    if (index % 1_000 === 999) return rowOf(index, 'not an address', 'rejected');
    const person = index % 100 === 99 ? index - 50 : index;
    const status = statuses[person % statuses.length] ?? 'safe';
    // Neighbours are at different domains.
    const domain = `d${(person * 7_919) % domains}.example`;
    return rowOf(index, `p${person}+${status}@${domain}`, status);
  };
  return { headings, rows, row };
}

/** Answered by mail hosts of a world. */
export function worldList(population: Population): ListContent {
  const row = (index: number): ListRow => {
    const { email, status } = addressOf(index, population);
    return rowOf(index, email, status);
  };
  return { headings, rows: population.addresses, row };
}

function rowOf(index: number, email: string, status: string): ListRow {
  const since = `20${10 + (index % 15)}-0${1 + (index % 9)}-1${index % 10}`;
  return { cells: [`Doe, Jane ${index}`, email, `Firm ${index % 5_000}`, since], status };
}

/** The line of a row in CSV, without its end. Only the names hold a comma. */
export function csvLine([name = '', ...more]: string[]): string {
  return [name.includes(',') ? `"${name}"` : name, ...more].join(',');
}

const linesAtOnce = 500;

export function* csvPieces({ rows, row, headings: names }: ListContent): Generator<Buffer> {
  yield Buffer.from(`${csvLine(names)}\n`);
  for (let from = 0; from < rows; from += linesAtOnce) {
    const count = Math.min(linesAtOnce, rows - from);
    const lines = Array.from({ length: count }, (_, at) => `${csvLine(row(from + at).cells)}\n`);
    yield Buffer.from(lines.join(''));
  }
}

/** A workbook as spreadsheet programs write it: every text once, and cells that refer to it. */
export function workbookOf({ rows, row, headings: names }: ListContent): Promise<Buffer> {
  const places = new Map<string, number>();
  const cellOf = (text: string): string => {
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return `<c t="s"><v>${place}</v></c>`;
  };
  const xml = [`<row>${names.map(cellOf).join('')}</row>`];
  for (let index = 0; index < rows; index += 1)
    xml.push(`<row>${row(index).cells.map(cellOf).join('')}</row>`);
  return makeWorkbook({ sheets: [{ name: 'People', xml: xml.join('') }], sharedStrings: [...places.keys()] });
}
