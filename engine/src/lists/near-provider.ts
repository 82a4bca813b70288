import { largeProviders } from './large-providers.ts';

/**
 * The large provider that a domain is one slip away from: a letter added, dropped, changed or swapped with its
 * neighbour (`gmial.com`, `hotmail.con`, `yaho.com`). Where several are, the one that stands first on the list, which begins
 * with the largest.
 */
export function nearProvider(host: string): string | undefined {
  if (largeProviders.has(host)) return undefined;
  for (const provider of largeProviders) {
    if (isOneSlip(host, provider)) return provider;
  }
  return undefined;
}

/** What is left of both names without their common beginning and end: lists have hosts by the million, so no table. */
function isOneSlip(host: string, name: string): boolean {
  if (Math.abs(host.length - name.length) > 1) return false;
  const shorter = Math.min(host.length, name.length);
  let begin = 0;
  while (begin < shorter && host[begin] === name[begin]) begin += 1;
  let end = 0;
  while (end < shorter - begin && host[host.length - 1 - end] === name[name.length - 1 - end]) end += 1;
  if (shorter - begin - end > 2) return false;
  const [had, meant] = [host.slice(begin, host.length - end), name.slice(begin, name.length - end)];
  if (had.length <= 1 && meant.length <= 1) return had !== meant;
  return had.length === 2 && had === `${meant[1]}${meant[0]}` && meant.length === 2;
}
