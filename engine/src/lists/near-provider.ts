import { largeProviders } from './large-providers.ts';

/**
 * The large provider that a domain is one slip away from: a letter added, dropped, changed or swapped with its
 * neighbour (`gmial.com`, `hotmail.con`, `yaho.com`). Where several are, the one that stands first on the list, which begins
 * with the largest.
 */
export function nearProvider(host: string): string | undefined {
  if (largeProviders.has(host)) return undefined;
  return ofLengthNear.get(host.length)?.find((provider) => isOneSlip(host, provider));
}

/** A slip changes the length by one at most. The providers by the lengths near theirs, in the order of the list. */
const ofLengthNear = new Map<number, string[]>();
for (const provider of largeProviders) {
  for (const length of [provider.length - 1, provider.length, provider.length + 1])
    ofLengthNear.set(length, [...(ofLengthNear.get(length) ?? []), provider]);
}

/** What is left of both names without their common beginning and end: lists have hosts by the million, so no table. */
function isOneSlip(host: string, name: string): boolean {
  const shorter = Math.min(host.length, name.length);
  let begin = 0;
  while (begin < shorter && host[begin] === name[begin]) begin += 1;
  let end = 0;
  while (end < shorter - begin && host[host.length - 1 - end] === name[name.length - 1 - end]) end += 1;
  const had = host.length - begin - end;
  const meant = name.length - begin - end;
  if (had <= 1 && meant <= 1) return had + meant > 0;
  const isSwapped = host[begin] === name[begin + 1] && host[begin + 1] === name[begin];
  return had === 2 && meant === 2 && isSwapped;
}
