import { decodeText, detectEncoding, type TextEncoding } from './decode-text.ts';
import { detectFormat } from './detect-format.ts';
import { findLayout, sampleText, type ColumnWish, type Layout } from './find-layout.ts';
import { beginningOf, type ListFile } from './list-file.ts';
import { ListProblem } from './list-problem.ts';
import { createRecordReader, type TextRecord } from './read-records.ts';
import { readInThread } from './read-in-thread.ts';
import type { ReadWorkbook } from './workbook-readers.ts';
import type { SheetPart } from './workbook-thread.ts';

/**
 * One reader for every list, whoever brings it. `planReading` looks at the beginning of the file and says how it is to be
 * read; `readList` follows that plan through the whole file, as often as needed, with the same rows each time.
 */
export type ReadingPlan =
  | { kind: 'text'; encoding: TextEncoding; hasMark: boolean; layout: Layout }
  | { kind: 'workbook'; sheet: string; layout: Layout };

/** A line of the file: above the heading, the heading itself, or a row. `text` and `end` are empty in a workbook. */
export type FileRow = { kind: 'above' | 'heading' | 'row'; text: string; end: string; cells: string[] };

type ReadingWish = {
  /** Whether all bytes are valid UTF-8, known since they were received. */
  isValidUtf8: boolean;
  /** The column that holds the addresses, from 0, where somebody chose it. */
  column?: ColumnWish | undefined;
};

const sampleBytes = 262_144;

/** Workbooks are read by `readWorkbook`, which may wait for its turn. */
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

/** The first sheet in which an address column is found; where none is, the first sheet's problem is told. */
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

/** Every line of the file in order, in batches; a consumer that stops early closes the file. */
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
