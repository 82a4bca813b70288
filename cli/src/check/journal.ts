import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { exitCodes } from '../exit-codes.ts';
import { CheckProblem } from './check-problem.ts';
import { readEntry, writeEntry, type JournalEntry } from './journal-entry.ts';
import { syncFolder } from './write-output.ts';

/**
 * The journal of a check: a file beside the output, one JSON object per line, append-only. A line counts once its
 * line end is on the disk; what a crash left of a last line is cut off when the journal is opened again.
 *
 *     head ─▶ (task n | done n)*     done n holds the answers of chunk n, task n the task that will have them
 */
export type Journal = {
  /** Resolves once the entry is on the disk. */
  append(entry: JournalEntry): Promise<void>;
  close(): Promise<void>;
};

/** It holds results, if not addresses: readable by its owner alone. */
const ownerOnly = 0o600;

/** Goes through an old journal, entry by entry, and tells how long it is; 0 where there is none with a whole line. */
export async function readJournal(path: string, onEntry: (entry: JournalEntry) => void): Promise<number> {
  let unfinished = Buffer.alloc(0);
  let bytes = 0;
  try {
    for await (const piece of createReadStream(path)) {
      const text = Buffer.concat([unfinished, Buffer.from(piece as Uint8Array)]);
      let start = 0;
      for (let end = text.indexOf(10); end !== -1; end = text.indexOf(10, start)) {
        const entry = readEntry(text.toString('utf8', start, end));
        if (entry === undefined || (entry.kind === 'head') !== (bytes === 0)) throw notOurs(path);
        onEntry(entry);
        bytes += end + 1 - start;
        start = end + 1;
      }
      unfinished = text.subarray(start);
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
  return bytes;
}

function notOurs(path: string): CheckProblem {
  return new CheckProblem(exitCodes.environment, `${path} is not the journal of a check, or is damaged.`);
}

/** Opens the journal to add to it, after its first `bytes`; whatever stands behind them is cut off. */
export async function openJournal(path: string, bytes: number): Promise<Journal> {
  const file = await open(path, 'a', ownerOnly);
  await file.truncate(bytes);
  await syncFolder(dirname(path));
  return createWriter(file);
}

/** While one write is on its way to the disk, the entries that come meanwhile wait and go together. */
function createWriter(file: FileHandle): Journal {
  let waiting = '';
  let onItsWay: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  async function flush(): Promise<void> {
    next = undefined;
    const text = waiting;
    waiting = '';
    await file.appendFile(text);
    await file.datasync();
  }

  return {
    append(entry) {
      waiting += `${writeEntry(entry)}\n`;
      next ??= onItsWay = onItsWay.then(flush);
      return next;
    },
    async close() {
      await onItsWay.catch(() => undefined);
      await file.close();
    },
  };
}
