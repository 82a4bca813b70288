import { readFileSync } from 'node:fs';

/** The names in a list of ours: separated by white space, lines that begin with `#` skipped, in byte order. */
export function readByHand(file: string): string[] {
  const text = readFileSync(new URL(`by-hand/${file}`, import.meta.url), 'utf8');
  const names = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .flatMap((line) => line.split(/\s+/))
    .filter((name) => name !== '');
  return inByteOrder(names);
}

/** Not the order of UTF-16 units, which differs beyond the basic plane. */
export function inByteOrder(names: Iterable<string>): string[] {
  return [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
