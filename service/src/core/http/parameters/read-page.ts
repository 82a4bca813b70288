import { contractLimits } from '@mailproof/client';
import { readCursor } from './cursors.ts';

/** Which page of a list a query asks for; `from` is where it begins. */
type ReadPage<Place> = { kind: 'page'; limit: number; from: Place | undefined } | { kind: 'invalid' };

export function readPage<Place>(
  query: unknown,
  placeOf: (parts: string[]) => Place | undefined,
): ReadPage<Place> {
  const { limit: size, before } = fieldsOf(query);
  const limit = readWhole(size, { most: contractLimits.pageEntries, usual: contractLimits.pageEntriesUsual });
  if (limit === undefined) return { kind: 'invalid' };
  if (before === undefined) return { kind: 'page', limit, from: undefined };
  const parts = typeof before === 'string' ? readCursor(before) : undefined;
  const from = parts && placeOf(parts);
  return from === undefined ? { kind: 'invalid' } : { kind: 'page', limit, from };
}

/** Any field may be there once, twice (then it is an array) or not at all. */
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
