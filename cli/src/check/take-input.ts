import { createWriteStream } from 'node:fs';
import { realpath, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { addAbortSignal } from 'node:stream';
import type { Surroundings } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { openInput } from '../input/open-input.ts';
import { ListProblem } from '../lists/list-problem.ts';

/** A list on the disk, where it can be read more than once: for its key, and for each attempt to upload it. */
type TakenInput = { path: string; /** Takes a copy away again. */ discard(): Promise<void> };

/**
 * A file is read where it is. What can be read only once, the standard input or a pipe, is copied beside the
 * output first, readable by its owner alone.
 */
export async function takeInput(
  path: string,
  output: string,
  surroundings: Surroundings,
): Promise<TakenInput> {
  if (path !== '-' && (await isRegularFile(path))) {
    if (await isSameFile(path, output))
      throw new ListProblem(exitCodes.usage, 'The output would overwrite the list. Choose another --output.');
    return { path, discard: () => Promise.resolve() };
  }
  const input = await openInput(path, surroundings);
  if (input.kind === 'cannot_open') throw new ListProblem(exitCodes.usage, input.why);
  const copy = `${output}.mailproof-input`;
  await rm(copy, { force: true });
  await pipeline(input.stream, addAbortSignal(surroundings.signal, createWriteStream(copy, { mode: 0o600 })));
  return { path: copy, discard: () => rm(copy, { force: true }) };
}

async function isRegularFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function isSameFile(path: string, output: string): Promise<boolean> {
  const there = await realpath(output).catch(() => undefined);
  return there !== undefined && there === (await realpath(path));
}
