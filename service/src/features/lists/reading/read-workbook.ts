import { posix } from 'node:path';
import type { SaxesTagPlain } from 'saxes';
import { ListProblem } from './list-problem.ts';
import { parseWhole, parseXml, type XmlHandlers } from './parse-xml.ts';
import { createSharedStrings, type SharedStrings } from './string-table.ts';
import { blankRowCharacters, entryCharacters, tooMuch, type WorkbookBudget } from './workbook-budget.ts';
import { workbookLimits } from './workbook-limits.ts';
import type { WorkbookParts } from './workbook-parts.ts';

/**
 * The rows of a workbook's sheets, as text (ECMA-376 part 1, SpreadsheetML). Dates come out as ISO 8601, formulas as
 * the value last computed, everything else as it is stored. Rows without cells come out empty, so that numbers stay those
 * the person sees; but a gap of more than a thousand rows is left out, as it stands before a stray cell or a format.
 */
type Workbook = {
  sheets: { name: string; path: string }[];
  /** Rows in order, in batches. */
  rows: (path: string) => AsyncGenerator<string[][]>;
};

export async function readWorkbook(parts: WorkbookParts): Promise<Workbook> {
  const { sheets, is1904, sharedStringsPath, stylesPath } = await readStructure(parts);
  if (sheets.length === 0) {
    throw new ListProblem(
      'unsupported_file',
      'This archive is not an Excel workbook. Upload .xlsx, CSV or text.',
    );
  }
  const { budget } = parts;
  const strings = await readSharedStrings(parts.read(sharedStringsPath), budget);
  const dateStyles = await readDateStyles(parts.read(stylesPath), budget);
  const context = { strings, dateStyles, is1904, budget };
  return { sheets, rows: (path) => readSheet(parts.read(path), context) };
}

function attribute(tag: SaxesTagPlain, wanted: string): string | undefined {
  const exact = tag.attributes[wanted];
  if (exact !== undefined) return exact;
  const prefixed = Object.keys(tag.attributes).find((name) => name.endsWith(`:${wanted}`));
  return prefixed === undefined ? undefined : tag.attributes[prefixed];
}

type Structure = {
  sheets: Workbook['sheets'];
  is1904: boolean;
  sharedStringsPath: string;
  stylesPath: string;
};

async function readStructure(parts: WorkbookParts): Promise<Structure> {
  const relations = await readRelations(parts, '_rels/.rels', '');
  const workbookPath =
    relations.find(({ type }) => type.endsWith('/officeDocument'))?.target ?? 'xl/workbook.xml';
  const folder = posix.dirname(workbookPath);
  const own = await readRelations(
    parts,
    posix.join(folder, '_rels', `${posix.basename(workbookPath)}.rels`),
    folder,
  );
  const named: { name: string; relation: string }[] = [];
  let is1904 = false;
  const handlers: XmlHandlers = {
    open(tag, name) {
      if (name === 'sheet' && named.length < workbookLimits.sheets) {
        const sheet = { name: tag.attributes['name'] ?? '', relation: attribute(tag, 'id') ?? '' };
        parts.budget.keep(entryCharacters + sheet.name.length + sheet.relation.length);
        named.push(sheet);
      }
      if (name === 'workbookPr') is1904 = /^(?:1|true)$/.test(tag.attributes['date1904'] ?? '');
    },
  };
  await parseWhole(parts.read(workbookPath), handlers, parts.budget);
  const targetOf = (type: string): string => own.find((one) => one.type.endsWith(type))?.target ?? '';
  const sheets = named.flatMap(({ name, relation }) => {
    const path = own.find(({ id }) => id === relation)?.target;
    return path === undefined || !parts.has(path) ? [] : [{ name, path }];
  });
  return { sheets, is1904, sharedStringsPath: targetOf('/sharedStrings'), stylesPath: targetOf('/styles') };
}

type Relation = { id: string; type: string; target: string };

async function readRelations(parts: WorkbookParts, path: string, folder: string): Promise<Relation[]> {
  const relations: Relation[] = [];
  const handlers: XmlHandlers = {
    open({ attributes }, name) {
      if (name !== 'Relationship' || relations.length >= workbookLimits.entries) return;
      const { Id: id = '', Type: type = '', Target: target = '' } = attributes;
      parts.budget.keep(entryCharacters + id.length + type.length + target.length);
      relations.push({
        id,
        type,
        target: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
      });
    },
  };
  await parseWhole(parts.read(path), handlers, parts.budget);
  return relations;
}

/** The texts that cells refer to by number. Phonetic readings (`rPh`) are not part of them. */
async function readSharedStrings(
  pieces: AsyncIterable<Uint8Array>,
  budget: WorkbookBudget,
): Promise<SharedStrings> {
  const strings = createSharedStrings();
  let current = '';
  let depth: 'outside' | 'text' | 'phonetic' = 'outside';
  const handlers: XmlHandlers = {
    open(_tag, name) {
      if (name === 'si') current = '';
      if (name === 'rPh') depth = 'phonetic';
      if (name === 't' && depth === 'outside') depth = 'text';
    },
    close(name) {
      if (name === 'rPh' || (name === 't' && depth === 'text')) depth = 'outside';
      if (name === 'si') strings.add(current);
    },
    text(text) {
      if (depth === 'text') current = lengthened(current, text);
    },
  };
  await parseWhole(pieces, handlers, budget);
  return strings;
}

/** Appends to the text of a cell, up to what a cell may hold. */
function lengthened(current: string, more: string): string {
  const room = workbookLimits.cellCharacters - current.length;
  return room <= 0 ? current : current + more.slice(0, room);
}

/** Which cell styles show a number as a date. */
async function readDateStyles(pieces: AsyncIterable<Uint8Array>, budget: WorkbookBudget): Promise<boolean[]> {
  const formats = new Map<string, string>();
  const styles: boolean[] = [];
  let inCellStyles = false;
  const handlers: XmlHandlers = {
    open({ attributes }, name) {
      if (name === 'numFmt') {
        const { numFmtId: id = '', formatCode: code = '' } = attributes;
        budget.keep(entryCharacters + id.length + code.length);
        if (code.length <= formatCharacters) formats.set(id, code);
      }
      if (name === 'cellXfs') inCellStyles = true;
      if (name !== 'xf' || !inCellStyles || styles.length >= workbookLimits.styles) return;
      const id = attributes['numFmtId'] ?? '0';
      styles.push(isDateFormat(Number(id), formats.get(id)));
    },
    close(name) {
      if (name === 'cellXfs') inCellStyles = false;
    },
  };
  await parseWhole(pieces, handlers, budget);
  return styles;
}

/** A longer format is none that Excel writes (255 characters). */
const formatCharacters = 1_000;

type SheetContext = {
  strings: SharedStrings;
  dateStyles: boolean[];
  is1904: boolean;
  budget: WorkbookBudget;
};

async function* readSheet(
  pieces: AsyncIterable<Uint8Array>,
  context: SheetContext,
): AsyncGenerator<string[][]> {
  const sheet = createSheetReader(context);
  const parsing = parseXml(pieces, sheet, context.budget);
  while ((await parsing.next()).done !== true) {
    const rows = sheet.takeRows();
    if (rows.length > 0) yield rows;
  }
  const rows = sheet.takeLastRows();
  if (rows.length > 0) yield rows;
}

type SheetReader = XmlHandlers & {
  takeRows: () => string[][];
  /** At the end of the sheet: blank rows that nothing follows too. */
  takeLastRows: () => string[][];
};

/** Rows of a sheet (ECMA-376 part 1, section 18.3.1.73 leaves the number open; Excel has so many). */
const sheetRows = 1_048_576;

/** Reads `row` → `c` → `v` or `is/t`. A row's number may jump: the rows between are empty. */
function createSheetReader(context: SheetContext): SheetReader {
  const row = createRow(context.budget);
  let rows: string[][] = [];
  let last = 0;
  let blank = 0;
  let cell = { column: 0, type: '', style: 0, text: '' };
  let isText = false;

  function beginRow(reference: string | undefined): void {
    // A number that is none, or goes back, is not believed.
    const told = reference === undefined ? NaN : Number(reference);
    const number = told > last && told <= sheetRows ? Math.floor(told) : last + 1;
    blank += number - last - 1;
    last = number;
  }

  function writeBlanks(): void {
    if (blank <= workbookLimits.blankRows) {
      context.budget.handOn(blank * blankRowCharacters);
      for (; blank > 0; blank -= 1) rows.push([]);
    }
    blank = 0;
  }

  function endRow(): void {
    const cells = row.take();
    if (cells.every((text) => text === '')) {
      blank += 1;
      return;
    }
    writeBlanks();
    rows.push(cells);
  }

  function takeRows(): string[][] {
    const taken = rows;
    rows = [];
    return taken;
  }

  return {
    open({ attributes }, name) {
      if (name === 'row') beginRow(attributes['r']);
      else if (name === 'c')
        cell = {
          column: columnOf(attributes['r'], row.width()),
          type: attributes['t'] ?? 'n',
          style: Number(attributes['s'] ?? 0),
          text: '',
        };
      else if (name === 'v' || name === 't') isText = true;
    },
    close(name) {
      if (name === 'v' || name === 't') isText = false;
      else if (name === 'c' && cell.column < workbookLimits.columns)
        row.write(cell.column, valueOf(cell, context));
      else if (name === 'row') endRow();
    },
    text(text) {
      if (isText) cell.text = lengthened(cell.text, text);
    },
    takeRows,
    takeLastRows() {
      writeBlanks();
      return takeRows();
    },
  };
}

/** The cells of the row that is being read. They are paid for as they come: a row may be far wider than its XML. */
function createRow(budget: WorkbookBudget) {
  let cells: string[] = [];
  let characters = 0;
  return {
    width: () => cells.length,
    write(column: number, text: string): void {
      const before = cells.length;
      while (cells.length < column) cells.push('');
      cells[column] = text;
      characters += text.length;
      budget.handOn(text.length + cells.length - before);
      if (characters > workbookLimits.rowCharacters) throw tooMuch('has a row that is far too long');
    },
    take(): string[] {
      const taken = cells;
      [cells, characters] = [[], 0];
      return taken;
    },
  };
}

function columnOf(reference: string | undefined, next: number): number {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return next;
  let number = 0;
  for (let at = 0; at < letters.length; at += 1) number = number * 26 + letters.charCodeAt(at) - 64;
  return number - 1;
}

function valueOf(
  { type, style, text }: { type: string; style: number; text: string },
  { strings, dateStyles, is1904 }: SheetContext,
): string {
  if (type === 's') return text === '' ? '' : strings.at(Number(text));
  if (type === 'b') return text === '1' ? 'TRUE' : 'FALSE';
  if (type === 'n' && text !== '' && dateStyles[style] === true) return spreadsheetDate(Number(text), is1904);
  return text;
}

/**
 * Dates in a workbook are numbers of days that a style shows as a date (ECMA-376 part 1, sections 18.8.30 and 18.17.4.1).
 * The numbers of built-in formats are fixed; others are told by the letters of their code.
 */
function isDateFormat(id: number, code: string | undefined): boolean {
  if ((id >= 14 && id <= 22) || (id >= 45 && id <= 47)) return true;
  if (code === undefined) return false;
  // Quoted text, escaped characters and [colours] mean nothing here.
  return /[dmyhs]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, ''));
}

const dayMs = 86_400_000;

/** ISO 8601; the time of day only where there is one. What is no date comes out as the number it is. */
function spreadsheetDate(days: number, is1904: boolean): string {
  if (!Number.isFinite(days) || days < 0 || days > 2_958_465) return String(days);
  // Excel believes in 29 February 1900, so days before March of that year are off by one; nobody's list has them.
  const epoch = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const date = new Date(epoch + Math.round(days * 86_400) * 1_000);
  const iso = date.toISOString();
  if (days < 1 && !is1904) return iso.slice(11, 19);
  return (date.getTime() - epoch) % dayMs === 0 ? iso.slice(0, 10) : iso.slice(0, 19).replace('T', ' ');
}
