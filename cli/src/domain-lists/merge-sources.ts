import { mergeDisposable, type MergedDisposable } from './merge-disposable.ts';
import { disposableSources, freeSources } from './packages.ts';
import { readByHand } from './read-by-hand.ts';
import type { ReadSource } from './read-source.ts';

/** The list of throw-away domains from what the packages say, with our own lists of real providers as guards. */
export function mergeSources(read: readonly ReadSource[]): MergedDisposable {
  const namesOf = (wanted: string) => read.find(({ source }) => source.name === wanted)?.names ?? [];
  return mergeDisposable(
    disposableSources.map(({ name, evidence }) => ({ name, evidence, names: namesOf(name) })),
    {
      providers: new Set(readByHand('providers.txt')),
      relays: new Set(readByHand('privacy-relays.txt')),
      calledFree: new Set(freeSources.flatMap(({ name }) => namesOf(name))),
    },
  );
}
