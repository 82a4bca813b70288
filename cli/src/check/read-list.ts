import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createRowReader, type Layout, type Row } from '@mailproof/client/lists';
import { exitCodes } from '../exit-codes.ts';
import { CheckProblem } from './check-problem.ts';

/** A list that is read several times, and has to be the same each time. */
export type ListFile = {
  path: string;
  layout: Layout;
  signal: AbortSignal;
};

const pieceBytes = 65_536;

/**
 * The rows of a list, as many at a time as were read together; at the end the SHA-256 of the whole file. With an
 * `expected` digest a file that has changed since it was first read is a problem, told at its end.
 */
export async function* readList(
  { path, layout, signal }: ListFile,
  expected?: string,
): AsyncGenerator<Row[], string, undefined> {
  const hash = createHash('sha256');
  const reader = createRowReader(layout);
  await using file = await open(path);
  const stream = file.createReadStream({ highWaterMark: pieceBytes, autoClose: false });
  let toSkip = layout.bom.length;
  for await (const piece of stream) {
    signal.throwIfAborted();
    const bytes = Buffer.from(piece as Uint8Array);
    hash.update(bytes);
    yield reader.push(bytes.subarray(toSkip).toString('latin1'));
    toSkip = 0;
  }
  yield reader.end();
  const digest = hash.digest('hex');
  if (expected !== undefined && digest !== expected)
    throw new CheckProblem(
      exitCodes.environment,
      `${path} changed while it was being checked. Run the command again with an unchanged file.`,
    );
  return digest;
}
