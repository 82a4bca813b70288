import { trimAddress } from '@mailproof/engine';
import type { Readable } from 'node:stream';
import { readLines } from '../input/read-lines.ts';

/** The addresses to verify: those named, then those of the file, one a line, blank lines passed over. */
export async function* readAddresses(
  named: readonly string[],
  file: Readable | undefined,
): AsyncGenerator<string> {
  yield* named.map(trimAddress);
  if (file === undefined) return;
  for await (const lines of readLines(file)) {
    for (const line of lines) {
      // What is too long for a line is too long for an address as well; it is answered, not dropped.
      const email =
        line.kind === 'line' ? trimAddress(line.text) : `(line ${line.number}, too long to be shown)`;
      if (email !== '') yield email;
    }
  }
}
