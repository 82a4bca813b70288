import { contractLimits } from '@mailproof/client';

/**
 * Reads what a query asks of a list. A cursor is what a place in a list is made of, written as one word: opaque to
 * clients, and whatever they make of it is checked like any other input.
 */
type ReadPage = { kind: 'page'; limit: number; before: string[] | undefined } | { kind: 'unreadable' };

export function readPage(query: unknown): ReadPage {
  const { limit, before } = fieldsOf(query);
  const size = readWhole(limit, { most: contractLimits.pageEntries, usual: contractLimits.pageEntriesUsual });
  if (size === undefined) return { kind: 'unreadable' };
  if (before === undefined) return { kind: 'page', limit: size, before: undefined };
  const place = typeof before === 'string' ? readCursor(before) : undefined;
  return place === undefined ? { kind: 'unreadable' } : { kind: 'page', limit: size, before: place };
}

/** Any field may be there once, twice (then it is a list) or not at all. */
export function fieldsOf(query: unknown): Record<string, unknown> {
  return typeof query === 'object' && query !== null ? { ...query } : {};
}

/** A whole number from 1 on, written in digits; `undefined` for anything else. */
export function readWhole(
  text: unknown,
  { most, usual }: { most: number; usual: number },
): number | undefined {
  if (text === undefined) return usual;
  if (typeof text !== 'string' || !/^[1-9]\d{0,5}$/.test(text)) return undefined;
  const value = Number(text);
  return value <= most ? value : undefined;
}

export function writeCursor(place: (string | number)[]): string {
  return Buffer.from(place.join(' ')).toString('base64url');
}

const longestCursor = 200;

function readCursor(text: string): string[] | undefined {
  if (text.length > longestCursor || !/^[\w-]+$/.test(text)) return undefined;
  const place = Buffer.from(text, 'base64url').toString('latin1').split(' ');
  return place.every((part) => /^[\da-f-]+$/.test(part)) ? place : undefined;
}

/** The numbers of a cursor; `undefined` unless there are as many as expected, each as the ledger could hold it. */
export function wholeNumbersOf(place: string[], length: number): number[] | undefined {
  const numbers = place.map((part) => (/^\d{1,16}$/.test(part) ? Number(part) : NaN));
  return numbers.length === length && numbers.every(Number.isSafeInteger) ? numbers : undefined;
}
