import { Readable } from 'node:stream';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry } from 'yauzl';
import type { ListFile } from './list-file.ts';
import { ListProblem } from './list-problem.ts';
import { createWorkbookBudget, entryCharacters, tooMuch, type WorkbookBudget } from './workbook-budget.ts';
import { workbookLimits } from './workbook-limits.ts';

/**
 * The parts of a workbook (ECMA-376 part 2: a zip archive of XML files), each read as a stream of bounded length. The
 * archive is read where it lies, a range at a time.
 */
export type WorkbookParts = {
  has: (name: string) => boolean;
  /** The unpacked bytes of a part, in pieces; an empty part where there is none of that name. */
  read: (name: string) => AsyncIterable<Uint8Array>;
  /** The cost that reading the file may have. */
  budget: WorkbookBudget;
  close: () => void;
};

export async function openWorkbook(file: ListFile): Promise<WorkbookParts> {
  const budget = createWorkbookBudget(file.size);
  try {
    const zip = await fromRandomAccessReaderPromise(new ListFileReader(file), file.size, {
      autoClose: false,
      lazyEntries: true,
      validateEntrySizes: true,
    });
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) {
      if (entries.size >= workbookLimits.entries) throw tooMuch('holds too many parts');
      const { fileNameLength, extraFieldLength, fileCommentLength } = entry;
      budget.keep(3 * entryCharacters + fileNameLength + extraFieldLength + fileCommentLength);
      entries.set(entry.fileName.toLowerCase(), entry);
    }
    return {
      has: (name) => entries.has(name.toLowerCase()),
      read: (name) => {
        const entry = entries.get(name.toLowerCase());
        return entry === undefined
          ? nothing()
          : bounded(entry, { open: () => zip.openReadStreamPromise(entry), budget });
      },
      budget,
      close: () => zip.close(),
    };
  } catch (error) {
    throw asProblem(error);
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // No part of that name: nothing to hand out.
}

/** What an entry claims to unpack to may be a lie, so what comes out is counted. */
async function* bounded(
  entry: Entry,
  { open, budget }: { open: () => Promise<Readable>; budget: WorkbookBudget },
): AsyncGenerator<Uint8Array> {
  if (entry.isEncrypted())
    throw new ListProblem(
      'invalid_list',
      'The workbook is protected by a password. Remove it and upload the file again.',
    );
  let unpacked = 0;
  try {
    for await (const piece of (await open()) as AsyncIterable<Uint8Array>) {
      unpacked += piece.length;
      budget.unpack(piece.length);
      const isBomb =
        unpacked > workbookLimits.ratioFromBytes && unpacked > entry.compressedSize * workbookLimits.ratio;
      if (isBomb || unpacked > workbookLimits.partBytes) throw tooMuch('unpacks to far more than it should');
      yield piece;
    }
  } catch (error) {
    throw asProblem(error);
  }
}

/** Anything the archive reader complains of is the file's fault; our own problems and those of the store pass through. */
function asProblem(error: unknown): unknown {
  if (error instanceof ListProblem || !(error instanceof Error)) return error;
  const isOfTheFile = error.stack?.includes('yauzl') === true || 'code' in error;
  if (!isOfTheFile || error.name === 'StoreUnavailableError') return error;
  return new ListProblem(
    'invalid_list',
    'The workbook is damaged and cannot be read. Save it again, or export it as CSV.',
  );
}

const readBytes = 262_144;

class ListFileReader extends RandomAccessReader {
  readonly #file: ListFile;

  constructor(file: ListFile) {
    super();
    this.#file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const file = this.#file;
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let at = start; at < end; at += readBytes)
        yield await file.slice(at, Math.min(end, at + readBytes));
    }
    return Readable.from(pieces(), { objectMode: false });
  }
}
