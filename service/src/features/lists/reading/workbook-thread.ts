import { parentPort, workerData } from 'node:worker_threads';
import { ListProblem } from './list-problem.ts';
import type { ListFile } from './list-file.ts';
import { readWorkbook } from './read-workbook.ts';
import { openWorkbook, type WorkbookParts } from './workbook-parts.ts';

/**
 * Runs in a thread of its own (see read-in-thread.ts): reads a workbook, asks for its bytes and hands its rows on. It
 * imports nothing but the reader, because all that it loads counts towards its memory.
 */
export type ThreadOrder = { size: number; job: ThreadJob };

/** `samples`: the first rows of each sheet. `rows`: all rows of one sheet. */
export type ThreadJob = { kind: 'samples' } | { kind: 'rows'; sheet: string };

/** Rows of the sheet at `sheet`. */
export type SheetPart = { sheet: string; rows: string[][] };

export type FromThread =
  | { kind: 'read'; id: number; start: number; end: number }
  | { kind: 'part'; id: number; part: SheetPart }
  | { kind: 'done' }
  | { kind: 'problem'; reason: ListProblem['kind']; detail: string };

/** `bytes` answers `read`, `go_on` answers `part`. */
export type ToThread = { kind: 'bytes'; id: number; bytes: Uint8Array } | { kind: 'go_on'; id: number };

const port = parentPort;
if (port === null) throw new Error('this file runs in a thread only');
const { size, job } = workerData as ThreadOrder;

/** Bytes are read ahead while rows are handed on, so answers find their question by its id. */
const waiting = new Map<number, (answer: ToThread) => void>();
let asked = 0;
port.on('message', (answer: ToThread) => {
  waiting.get(answer.id)?.(answer);
  waiting.delete(answer.id);
});

type Question = { kind: 'read'; start: number; end: number } | { kind: 'part'; part: SheetPart };

async function ask(question: Question): Promise<ToThread> {
  asked += 1;
  const id = asked;
  const answer = new Promise<ToThread>((resolve) => waiting.set(id, resolve));
  port?.postMessage({ ...question, id } satisfies FromThread);
  return answer;
}

const blockBytes = 65_536;
const blocksKept = 8;

/** The archive's directory is read in scraps of a few bytes; the blocks they lie in are kept for a while. */
function createRemoteFile(): ListFile {
  const blocks = new Map<number, Uint8Array>();
  const blockAt = async (start: number): Promise<Uint8Array> => {
    const known = blocks.get(start);
    if (known !== undefined) return known;
    const answer = await ask({ kind: 'read', start, end: Math.min(size, start + blockBytes) });
    if (answer.kind !== 'bytes') throw new Error('asked for bytes and got something else');
    const [oldest] = blocks.keys();
    if (blocks.size >= blocksKept && oldest !== undefined) blocks.delete(oldest);
    blocks.set(start, answer.bytes);
    return answer.bytes;
  };
  async function slice(start: number, end: number): Promise<Uint8Array> {
    const found: Uint8Array[] = [];
    for (let from = start - (start % blockBytes); from < end; from += blockBytes)
      found.push((await blockAt(from)).subarray(Math.max(0, start - from), end - from));
    return Buffer.concat(found);
  }
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < size; at += blockBytes) yield await blockAt(at);
  }
  return { size, pieces, slice };
}

/** As many rows are enough to find the column with the addresses. */
const rowsAtOnce = 500;
const charactersAtOnce = 262_144;

/** Collects rows until there are enough to hand on. */
async function* inBatches(rows: AsyncIterable<string[][]>): AsyncGenerator<string[][]> {
  let batch: string[][] = [];
  let characters = 0;
  for await (const some of rows) {
    for (const row of some) {
      batch.push(row);
      characters += row.reduce((sum, cell) => sum + cell.length + 1, 1);
    }
    if (batch.length < rowsAtOnce && characters < charactersAtOnce) continue;
    yield batch;
    [batch, characters] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

async function read(parts: WorkbookParts): Promise<void> {
  const workbook = await readWorkbook(parts);
  if (job.kind === 'rows') {
    for await (const rows of inBatches(workbook.rows(job.sheet)))
      await ask({ kind: 'part', part: { sheet: job.sheet, rows } });
    return;
  }
  for (const { path: sheet } of workbook.sheets) {
    const batches = inBatches(workbook.rows(sheet));
    const first = await batches.next();
    await batches.return(undefined);
    await ask({ kind: 'part', part: { sheet, rows: first.done === true ? [] : first.value } });
  }
}

async function run(): Promise<FromThread> {
  try {
    const parts = await openWorkbook(createRemoteFile());
    await read(parts);
    return { kind: 'done' };
  } catch (error) {
    if (!(error instanceof ListProblem)) throw error;
    return { kind: 'problem', reason: error.kind, detail: error.message };
  }
}

port.postMessage(await run());
port.close();
