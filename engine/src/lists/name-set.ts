import { readFileSync } from 'node:fs';

/**
 * A sorted list of names, one a line, kept as the bytes of its file and searched where they lie.
 *
 * A set of a hundred thousand strings costs tens of milliseconds to build and several times the memory of
 * the file. The file itself is already an index: a search is seventeen comparisons of a few bytes.
 */
export type NameSet = { has: (name: string) => boolean };

const NEW_LINE = 0x0a;

/** The file holds ASCII names in byte order, each line ended by a line feed; `npm test` holds it to that. */
export function readNameSet(path: string | URL): NameSet {
  const bytes = readFileSync(path);
  return { has: (name) => search(bytes, Buffer.from(`${name}\n`, 'utf8')) };
}

/** Halves the stretch of whole lines in which the wanted line can still stand; each step shortens it. */
function search(bytes: Buffer, wanted: Buffer): boolean {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const start = lineStart(bytes, Math.floor((low + high) / 2));
    const end = bytes.indexOf(NEW_LINE, start) + 1;
    if (end === 0) return false;
    const order = Buffer.compare(wanted, bytes.subarray(start, end));
    if (order === 0) return true;
    if (order < 0) high = start;
    else low = end;
  }
  return false;
}

function lineStart(bytes: Buffer, position: number): number {
  return position === 0 ? 0 : bytes.lastIndexOf(NEW_LINE, position - 1) + 1;
}
