import type { DomainSuggestion } from '@mailproof/client';
import type { Address } from '@mailproof/engine';

/** Finds the large provider that was most likely meant, without asking anybody. */
export type NearProvider = (address: Address) => string | undefined;

/** The most that are told; a list with more of them has other troubles. */
const suggestionsTold = 20;
/** Domains that are counted at once: more are one slip away from a provider only where somebody makes them up. */
const domainsCounted = 2_000;

/**
 * Counts the rows of domains that are one slip away from a large provider (`gmial.com`), so that their owner can mend them
 * before the list is started and paid for. Whether such a domain takes mail is not known then: nobody has been asked.
 */
export function createDomainSuggestions(nearProvider: NearProvider) {
  const found = new Map<string, DomainSuggestion>();
  let last: { address: Address; meant: string | undefined } | undefined;
  return {
    add(address: Address): void {
      // A cell that is repeated brings the very same address.
      if (last?.address !== address) last = { address, meant: nearProvider(address) };
      const { meant } = last;
      if (meant === undefined) return;
      const { host } = address;
      const known = found.get(host);
      if (known !== undefined) known.rows += 1;
      else if (found.size < domainsCounted) found.set(host, { domain: host, did_you_mean: meant, rows: 1 });
    },
    /** Those with the most rows first. */
    told: (): DomainSuggestion[] =>
      [...found.values()]
        .sort((a, b) => b.rows - a.rows || (a.domain < b.domain ? -1 : 1))
        .slice(0, suggestionsTold),
  };
}
