import { findLayout, sampleText, type ColumnWish, type Layout } from './find-layout.ts';
import { beginningOf, type ListFile } from './list-file.ts';
import { ListProblem } from './list-problem.ts';
import { createRecordReader, type TextRecord } from './read-records.ts';
import { type ReadWorkbook, readInThread } from './workbook-readers.ts';
import type { SheetPart } from './workbook-thread.ts';

/**
 * A plan for reading a list; one reader serves uploads of every kind. `planReading` decides from the beginning of the
 * file. `readList` follows that plan through the whole file and yields the same rows each time.
 */
export type ReadingPlan =
  | { kind: 'text'; encoding: TextEncoding; hasMark: boolean; layout: Layout }
  | { kind: 'workbook'; sheet: string; layout: Layout };

/** A line of the file: above the heading, the heading itself, or a row. `text` and `end` are empty in a workbook. */
export type FileRow = { kind: 'above' | 'heading' | 'row'; text: string; end: string; cells: string[] };

type ReadingWish = {
  /** Whether all bytes are valid UTF-8, found while receiving them. */
  isValidUtf8: boolean;
  /** The column with the addresses, from 0, if the caller chose it. */
  column?: ColumnWish | undefined;
};

const sampleBytes = 262_144;

/** Plans the reading. Workbooks are read by `readWorkbook`, which may wait for a thread. */
export async function planReading(
  file: ListFile,
  wish: ReadingWish,
  readWorkbook: ReadWorkbook = readInThread,
): Promise<ReadingPlan> {
  const beginning = await beginningOf(file, sampleBytes);
  if (detectFormat(beginning) === 'workbook')
    return planWorkbook(readWorkbook(file, { kind: 'samples' }), wish);
  const { encoding, hasMark } = detectEncoding({ beginning, isValidUtf8: wish.isValidUtf8 });
  const isWhole = file.size <= sampleBytes;
  const text = new TextDecoder(encoding).decode(beginning, { stream: !isWhole });
  if (text.includes('\0')) throw notText();
  return { kind: 'text', encoding, hasMark, layout: findLayout(sampleText(text, isWhole), wish.column) };
}

function notText(): ListProblem {
  return new ListProblem('unsupported_file', 'This file is not text. Upload a list as CSV, text or .xlsx.');
}

/** Picks the first sheet with an address column; if none has one, throws the first sheet's problem. */
async function planWorkbook(
  samples: AsyncGenerator<SheetPart>,
  { column }: ReadingWish,
): Promise<ReadingPlan> {
  let problem: unknown;
  for await (const { sheet, rows } of samples) {
    try {
      return { kind: 'workbook', sheet, layout: findLayout({ rows, delimiter: ',' }, column) };
    } catch (error) {
      if (!(error instanceof ListProblem)) throw error;
      problem ??= error;
    }
  }
  throw problem;
}

/** Yields every line of the file in order, in batches; a consumer that stops early closes the file. */
export async function* readList(
  file: ListFile,
  plan: ReadingPlan,
  readWorkbook: ReadWorkbook = readInThread,
): AsyncGenerator<FileRow[]> {
  const lines =
    plan.kind === 'text'
      ? textLines(file, plan)
      : sheetLines(readWorkbook(file, { kind: 'rows', sheet: plan.sheet }));
  const { linesAbove, hasHeading } = plan.layout;
  let number = 0;
  for await (const batch of lines) {
    yield batch.map(({ text, end, cells }) => {
      number += 1;
      const kind =
        number <= linesAbove ? 'above' : hasHeading && number === linesAbove + 1 ? 'heading' : 'row';
      return { kind, text, end, cells };
    });
  }
}

async function* textLines(
  file: ListFile,
  { encoding, layout }: ReadingPlan & { kind: 'text' },
): AsyncGenerator<TextRecord[]> {
  const reader = createRecordReader({ delimiter: layout.delimiter });
  for await (const text of decodeText(file.pieces(), encoding)) {
    if (text.includes('\0')) throw notText();
    const records = reader.push(text);
    if (records.length > 0) yield records;
  }
  const rest = reader.end();
  if (rest.length > 0) yield rest;
}

async function* sheetLines(parts: AsyncGenerator<SheetPart>): AsyncGenerator<TextRecord[]> {
  for await (const { rows } of parts) yield rows.map((cells) => ({ text: '', end: '', cells }));
}

/** The kind of a list's file, told by its first bytes. File names are often wrong. */
type FileFormat = 'text' | 'workbook';

const signatures: { bytes: number[]; what: string; remedy: string }[] = [
  {
    bytes: [0xd0, 0xcf, 0x11, 0xe0],
    what: 'an old Excel workbook (.xls)',
    remedy: 'open it and save it as .xlsx or CSV',
  },
  { bytes: [0x25, 0x50, 0x44, 0x46], what: 'a PDF', remedy: 'export the list as CSV or .xlsx' },
  { bytes: [0x1f, 0x8b], what: 'a gzip archive', remedy: 'unpack it and upload the file inside' },
  { bytes: [0x52, 0x61, 0x72, 0x21], what: 'a RAR archive', remedy: 'unpack it and upload the file inside' },
  { bytes: [0x37, 0x7a, 0xbc, 0xaf], what: 'a 7z archive', remedy: 'unpack it and upload the file inside' },
  { bytes: [0x89, 0x50, 0x4e, 0x47], what: 'a picture', remedy: 'export the list as CSV or .xlsx' },
  { bytes: [0xff, 0xd8, 0xff], what: 'a picture', remedy: 'export the list as CSV or .xlsx' },
];

const zipSignature = [0x50, 0x4b, 0x03, 0x04];

function detectFormat(beginning: Uint8Array): FileFormat {
  const known = signatures.find(({ bytes }) => startsWith(beginning, bytes));
  if (known !== undefined) throw unsupported(known.what, known.remedy);
  if (!startsWith(beginning, zipSignature)) return 'text';
  // OpenDocument puts its type, uncompressed, into the first entry (OpenDocument 1.3, part 2, section 3.3).
  const opening = Buffer.from(beginning.subarray(0, 128)).toString('latin1');
  if (opening.includes('opendocument')) {
    throw unsupported('an OpenDocument spreadsheet (.ods)', 'open it and save it as .xlsx or CSV');
  }
  return 'workbook';
}

function startsWith(bytes: Uint8Array, signature: number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte);
}

function unsupported(what: string, remedy: string): ListProblem {
  return new ListProblem('unsupported_file', `This file is ${what}. To check it, ${remedy}.`);
}

/**
 * Encodings of a text file. A byte order mark decides. Without one, zero bytes in every second place mean UTF-16, and
 * bytes that are not valid UTF-8 mean Windows-1252. Western spreadsheets export that encoding by default.
 */
type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

type DetectedEncoding = { encoding: TextEncoding; hasMark: boolean };

type EncodingEvidence = { beginning: Uint8Array; isValidUtf8: boolean };

function detectEncoding({ beginning, isValidUtf8 }: EncodingEvidence): DetectedEncoding {
  const [first, second, third] = beginning;
  if (first === 0xef && second === 0xbb && third === 0xbf) return { encoding: 'utf-8', hasMark: true };
  if (first === 0xff && second === 0xfe) return { encoding: 'utf-16le', hasMark: true };
  if (first === 0xfe && second === 0xff) return { encoding: 'utf-16be', hasMark: true };
  return { encoding: unmarkedEncoding(beginning, isValidUtf8), hasMark: false };
}

function unmarkedEncoding(beginning: Uint8Array, isValidUtf8: boolean): TextEncoding {
  const zeros = [0, 0];
  for (const [index, byte] of beginning.entries())
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  // Mostly Latin text in UTF-16 has a zero in nearly every pair of bytes, always on the same side.
  const manyPairs = beginning.length / 4;
  if (odd > manyPairs && even === 0) return 'utf-16le';
  if (even > manyPairs && odd === 0) return 'utf-16be';
  return isValidUtf8 ? 'utf-8' : 'windows-1252';
}

/**
 * Yields characters as the bytes arrive, without the mark. A character that is cut by the end of a piece is joined
 * again.
 */
async function* decodeText(
  pieces: AsyncIterable<Uint8Array>,
  encoding: TextEncoding,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const piece of pieces) yield decoder.decode(piece, { stream: true });
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}

/** Watches the bytes pass and tells at the end whether all of them were UTF-8. */
export function watchUtf8(): { add: (piece: Uint8Array) => void; isValid: () => boolean } {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let valid = true;
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch {
      valid = false;
    }
  };
  return {
    add: (piece) => {
      if (valid) attempt(() => decoder.decode(piece, { stream: true }));
    },
    isValid: () => {
      if (valid) attempt(() => decoder.decode());
      return valid;
    },
  };
}
