import { editDistance } from '../nearest-name.ts';
import { largeProviders } from './large-providers.ts';

/**
 * The large provider that a domain is one slip away from: a letter added, dropped, changed or swapped with its
 * neighbour (`gmial.com`, `hotmail.con`, `yaho.com`). Where several are, the one that stands first on the list, which begins
 * with the largest.
 */
export function nearProvider(host: string): string | undefined {
  if (largeProviders.has(host)) return undefined;
  for (const provider of largeProviders) {
    if (Math.abs(provider.length - host.length) <= 1 && editDistance(host, provider) === 1) return provider;
  }
  return undefined;
}
