import { posix } from 'node:path';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { ListProblem } from './list-problem.ts';
import { workbookLimits } from './workbook-limits.ts';
import type { WorkbookParts } from './workbook-parts.ts';

/**
 * The rows of a workbook's sheets, as text (ECMA-376 part 1, SpreadsheetML). Dates come out as ISO 8601, formulas as
 * the value last computed, everything else as it is stored. Rows without cells come out empty, so that numbers stay those
 * the person sees.
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
  const strings = await readSharedStrings(parts.read(sharedStringsPath));
  const dateStyles = await readDateStyles(parts.read(stylesPath));
  return { sheets, rows: (path) => readSheet(parts.read(path), { strings, dateStyles, is1904 }) };
}

type XmlHandlers = {
  open: (tag: SaxesTagPlain, name: string) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
};

/** Runs a parser over a part; the generator yields after each piece, so that a caller can hand rows on. */
async function* parseXml(
  pieces: AsyncIterable<Uint8Array>,
  handlers: XmlHandlers,
): AsyncGenerator<undefined> {
  const parser = new SaxesParser();
  const refuse = (why: string): never => {
    throw new ListProblem(
      'invalid_list',
      `The workbook is damaged (${why}). Save it again, or export it as CSV.`,
    );
  };
  // A document type declares entities, and entities of entities fill a machine's memory. No spreadsheet needs one.
  parser.on('doctype', () => refuse('it declares a document type'));
  parser.on('error', () => refuse('its XML is malformed'));
  parser.on('opentag', (tag) => handlers.open(tag, localName(tag.name)));
  parser.on('closetag', (tag) => handlers.close?.(localName(tag.name)));
  parser.on('text', (text) => handlers.text?.(text));
  const decoder = new TextDecoder();
  for await (const piece of pieces) {
    parser.write(decoder.decode(piece, { stream: true }));
    yield undefined;
  }
  const rest = decoder.decode();
  if (rest !== '') parser.write(rest);
}

async function parseWhole(pieces: AsyncIterable<Uint8Array>, handlers: XmlHandlers): Promise<void> {
  const parsing = parseXml(pieces, handlers);
  while ((await parsing.next()).done !== true);
}

/** Tags may carry any namespace prefix (`x:row`). */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
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
  await parseWhole(parts.read(workbookPath), {
    open(tag, name) {
      if (name === 'sheet' && named.length < workbookLimits.sheets)
        named.push({ name: tag.attributes['name'] ?? '', relation: attribute(tag, 'id') ?? '' });
      if (name === 'workbookPr') is1904 = /^(?:1|true)$/.test(tag.attributes['date1904'] ?? '');
    },
  });
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
  await parseWhole(parts.read(path), {
    open({ attributes }, name) {
      if (name !== 'Relationship' || relations.length >= workbookLimits.entries) return;
      const { Id: id = '', Type: type = '', Target: target = '' } = attributes;
      relations.push({
        id,
        type,
        target: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
      });
    },
  });
  return relations;
}

/** The texts that cells refer to by number. Phonetic readings (`rPh`) are not part of them. */
async function readSharedStrings(pieces: AsyncIterable<Uint8Array>): Promise<string[]> {
  const strings: string[] = [];
  let current = '';
  let characters = 0;
  let depth: 'outside' | 'text' | 'phonetic' = 'outside';
  await parseWhole(pieces, {
    open(_tag, name) {
      if (name === 'si') current = '';
      if (name === 'rPh') depth = 'phonetic';
      if (name === 't' && depth === 'outside') depth = 'text';
    },
    close(name) {
      if (name === 'rPh' || (name === 't' && depth === 'text')) depth = 'outside';
      if (name !== 'si') return;
      strings.push(current);
      characters += current.length;
      if (strings.length > workbookLimits.sharedStrings || characters > workbookLimits.sharedCharacters)
        throw new ListProblem(
          'list_too_large',
          'The workbook holds too much text. Export the list as CSV and upload that.',
        );
    },
    text(text) {
      if (depth === 'text' && current.length < workbookLimits.cellCharacters) current += text;
    },
  });
  return strings;
}

/** Which cell styles show a number as a date. */
async function readDateStyles(pieces: AsyncIterable<Uint8Array>): Promise<boolean[]> {
  const formats = new Map<string, string>();
  const styles: boolean[] = [];
  let inCellStyles = false;
  await parseWhole(pieces, {
    open({ attributes }, name) {
      if (name === 'numFmt') formats.set(attributes['numFmtId'] ?? '', attributes['formatCode'] ?? '');
      if (name === 'cellXfs') inCellStyles = true;
      if (name !== 'xf' || !inCellStyles) return;
      const id = attributes['numFmtId'] ?? '0';
      styles.push(isDateFormat(Number(id), formats.get(id)));
    },
    close(name) {
      if (name === 'cellXfs') inCellStyles = false;
    },
  });
  return styles;
}

type SheetContext = { strings: string[]; dateStyles: boolean[]; is1904: boolean };

async function* readSheet(
  pieces: AsyncIterable<Uint8Array>,
  context: SheetContext,
): AsyncGenerator<string[][]> {
  const sheet = createSheetReader(context);
  const parsing = parseXml(pieces, sheet);
  while ((await parsing.next()).done !== true) {
    const rows = sheet.takeRows();
    if (rows.length > 0) yield rows;
  }
  const rows = sheet.takeRows();
  if (rows.length > 0) yield rows;
}

/** Reads `row` → `c` → `v` or `is/t`. A row's number may jump: the rows between are empty. */
function createSheetReader(context: SheetContext): XmlHandlers & { takeRows: () => string[][] } {
  let rows: string[][] = [];
  let row: string[] = [];
  let last = 0;
  let cell = { column: 0, type: '', style: 0, text: '' };
  let isText = false;

  function beginRow(number: number): void {
    // Blank rows are bounded by what a sheet may hold (1,048,576); a number that goes back is not believed.
    for (let blank = last + 1; blank < Math.min(number, 1_048_577); blank += 1) rows.push([]);
    last = Math.max(last + 1, Math.min(number, 1_048_577));
    row = [];
  }

  return {
    open({ attributes }, name) {
      if (name === 'row') beginRow(Number(attributes['r'] ?? last + 1));
      else if (name === 'c')
        cell = {
          column: columnOf(attributes['r'], row.length),
          type: attributes['t'] ?? 'n',
          style: Number(attributes['s'] ?? 0),
          text: '',
        };
      else if (name === 'v' || name === 't') isText = true;
    },
    close(name) {
      if (name === 'v' || name === 't') isText = false;
      else if (name === 'c' && cell.column < workbookLimits.columns) {
        while (row.length < cell.column) row.push('');
        row[cell.column] = valueOf(cell, context);
      } else if (name === 'row') rows.push(row);
    },
    text(text) {
      if (isText && cell.text.length < workbookLimits.cellCharacters) cell.text += text;
    },
    takeRows() {
      const taken = rows;
      rows = [];
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
  if (type === 's') return strings[Number(text)] ?? '';
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
