import type { SqlValue } from './statement.ts';

/**
 * The arguments of a statement that is about up to so many ids. Places that are not taken are null, which is the id of
 * nothing: so it is prepared once, however many it is about.
 */
export type Places = Record<`place${number}`, SqlValue>;

export function createPlaces(count: number) {
  return {
    count,
    /** The arguments with these ids. */
    for: (ids: readonly string[]): Places => {
      const places: Places = {};
      for (let place = 0; place < count; place += 1) places[`place${place}`] = ids[place] ?? null;
      return places;
    },
    /** Where they stand in the statement. */
    of: (arg: Places): string[] =>
      Array.from({ length: count }, (_, place) => arg[`place${place}`] as string),
  };
}
