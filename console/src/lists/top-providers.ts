import type { ListRecord } from '@mailproof/client';
import type { ProviderCount } from '../parts/tally.ts';
import { providerName } from '../parts/provider-name.ts';

/** The largest providers of a list; what is beyond the most that are shown is one last entry. */
export function topProviders(counts: ListRecord['by_provider'], most: number): ProviderCount[] {
  const all = Object.entries(counts)
    .map(([id, count]) => ({ provider: providerName(id), count }))
    .sort((a, b) => b.count - a.count || (a.provider < b.provider ? -1 : 1));
  if (all.length <= most) return all;
  const rest = all.slice(most - 1);
  const others = {
    provider: `${rest.length} others`,
    count: rest.reduce((sum, { count }) => sum + count, 0),
  };
  return [...all.slice(0, most - 1), others];
}
