import { open } from 'node:fs/promises';
import {
  findLayout as findLayoutIn,
  sampleBytes,
  type Layout,
  type ListSample,
} from '@mailproof/client/lists';
import { exitCodes } from '../exit-codes.ts';
import { CheckProblem } from './check-problem.ts';

type Wish = {
  /** What the file is called, for its ending. */
  name: string;
  /** A column by its heading or number, where one was named. */
  column: string | undefined;
};

const namesShown = 30;

/** How the list in a file is written, found by looking at its beginning. */
export async function findLayout(path: string, wish: Wish): Promise<Layout> {
  const { column, ...layout } = findLayoutIn(await readSample(path), wish);
  if (column !== undefined) return { ...layout, column };
  const list = layout.columns
    .slice(0, namesShown)
    .map((name) => JSON.stringify(name))
    .join(', ');
  const why =
    wish.column === undefined
      ? `No column looks like email addresses. Name one with --column. Columns: ${list}`
      : `No column ${JSON.stringify(wish.column)}. Columns: ${list}`;
  throw new CheckProblem(exitCodes.usage, why);
}

async function readSample(path: string): Promise<ListSample> {
  await using file = await open(path);
  const buffer = Buffer.alloc(sampleBytes);
  const { bytesRead } = await file.read(buffer, 0, sampleBytes, 0);
  const { size } = await file.stat();
  return { text: buffer.subarray(0, bytesRead).toString('latin1'), isWhole: bytesRead >= size };
}
