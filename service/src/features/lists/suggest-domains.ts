import type { DomainSuggestion } from '@mailproof/client';
import type { Address } from '@mailproof/engine';

/** Returns the large provider that was most likely meant, without any network request. */
export type NearProvider = (address: Address) => string | undefined;

/** Suggestions per list. */
const suggestionsTold = 20;
/** Domains counted per list. Only a made-up list has more that are one typo away from a provider. */
const domainsCounted = 2_000;

/**
 * Counts the rows of domains that are one typo away from a large provider (`gmial.com`). Their owner can correct them
 * before the list is started and paid for. Such a domain may still take mail: DNS was not asked.
 */
export function createDomainSuggestions(nearProvider: NearProvider) {
  const found = new Map<string, DomainSuggestion>();
  let last: { address: Address; meant: string | undefined } | undefined;
  return {
    add(address: Address): void {
      // A repeated cell brings the same address object.
      if (last?.address !== address) last = { address, meant: nearProvider(address) };
      const { meant } = last;
      if (meant === undefined) return;
      const { host } = address;
      const known = found.get(host);
      if (known !== undefined) known.rows += 1;
      else if (found.size < domainsCounted) found.set(host, { domain: host, did_you_mean: meant, rows: 1 });
    },
    /** Returns the suggestions with the most rows first. */
    told: (): DomainSuggestion[] =>
      [...found.values()]
        .sort((a, b) => b.rows - a.rows || (a.domain < b.domain ? -1 : 1))
        .slice(0, suggestionsTold),
  };
}
