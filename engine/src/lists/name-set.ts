import { readFileSync } from 'node:fs';

/**
 * A sorted list of names, one a line. A long one is kept as the bytes of its file and searched in place.
 *
 * A set of a hundred thousand strings costs tens of milliseconds to build and several times the memory of the file.
 * The file itself is already an index: a search is seventeen comparisons of a few bytes. A short list is built in no
 * time and found in one step.
 */
export type NameSet = { has: (name: string) => boolean };

const NEW_LINE = 0x0a;
const longestShortBytes = 32_768;

/** The file holds ASCII names in byte order, each line ended by a line feed; `npm test` holds it to that. */
export function readNameSet(path: string | URL, shortBytes = longestShortBytes): NameSet {
  const bytes = readFileSync(path);
  if (bytes.length > shortBytes) return { has: (name) => search(bytes, name) };
  const names = new Set(bytes.toString('latin1').split('\n').slice(0, -1));
  return { has: (name) => names.has(name) };
}

/** Returns the first line that does not come after the one before it, counted from 1; undefined if all do. */
export function findDisorder(path: string | URL): number | undefined {
  const bytes = readFileSync(path);
  let line = 1;
  let before: Buffer | undefined;
  for (let start = 0; start < bytes.length; start = lineEnd(bytes, start), line += 1) {
    const name = bytes.subarray(start, lineEnd(bytes, start));
    if (before !== undefined && Buffer.compare(before, name) >= 0) return line;
    before = name;
  }
  return bytes.at(-1) === NEW_LINE ? undefined : line - 1;
}

/** Halves the stretch of whole lines in which the wanted line can still stand; each step shortens it. */
function search(bytes: Buffer, wanted: string): boolean {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const start = lineStart(bytes, (low + high) >>> 1);
    const order = compareAt(bytes, start, wanted);
    if (order === 0) return true;
    if (order < 0) high = start;
    else low = lineEnd(bytes, start);
  }
  return false;
}

/**
 * Compares the name with its line feed and the line. A line feed sorts before every byte of a name, so a name stands
 * before all that begin with it. A letter beyond ASCII is beyond every byte of the file, so it is never found.
 */
function compareAt(bytes: Buffer, start: number, wanted: string): number {
  for (let index = 0; index < wanted.length; index += 1) {
    const difference = wanted.charCodeAt(index) - (bytes[start + index] ?? 0);
    if (difference !== 0) return difference;
  }
  return NEW_LINE - (bytes[start + wanted.length] ?? 0);
}

function lineStart(bytes: Buffer, position: number): number {
  let start = position;
  while (start > 0 && bytes[start - 1] !== NEW_LINE) start -= 1;
  return start;
}

/** Returns the beginning of the next line. */
function lineEnd(bytes: Buffer, start: number): number {
  let end = start;
  while (end < bytes.length && bytes[end] !== NEW_LINE) end += 1;
  return end + 1;
}
