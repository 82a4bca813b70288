import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import type { Surroundings } from '../command.ts';

/** Where lines come from: a file by its path, or the standard input as `-`. */
type OpenedInput = { kind: 'opened'; stream: Readable } | { kind: 'cannot_open'; why: string };

export async function openInput(path: string, { terminal, signal }: Surroundings): Promise<OpenedInput> {
  if (path === '-') {
    if (terminal.inputIsTerminal)
      terminal.tell('Reading from the terminal, one line at a time. Press Ctrl-D to finish.');
    return { kind: 'opened', stream: addAbortSignal(signal, terminal.input) };
  }
  try {
    const file = await open(path);
    if ((await file.stat()).isDirectory()) {
      await file.close();
      return { kind: 'cannot_open', why: `${path} is a directory` };
    }
    return { kind: 'opened', stream: addAbortSignal(signal, file.createReadStream()) };
  } catch (error) {
    return { kind: 'cannot_open', why: `Cannot read ${path}: ${describeError(error)}` };
  }
}

function describeError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'no such file';
  if (code === 'EACCES') return 'permission denied';
  return error instanceof Error ? error.message : String(error);
}
