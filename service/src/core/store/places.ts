import type { SqlValue } from './statement.ts';

/**
 * The arguments of a statement about several ids, up to a maximum. Unused places are null, which is the id of no
 * row. So the statement is prepared once for any number of ids.
 */
export type Places = Record<`place${number}`, SqlValue>;

export function createPlaces(count: number) {
  return {
    count,
    /** Returns the arguments with these ids. */
    for: (ids: readonly string[]): Places => {
      const places: Places = {};
      for (let place = 0; place < count; place += 1) places[`place${place}`] = ids[place] ?? null;
      return places;
    },
    /** Returns the places of the ids in the statement. */
    of: (arg: Places): string[] =>
      Array.from({ length: count }, (_, place) => arg[`place${place}`] as string),
  };
}
