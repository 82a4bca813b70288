import { shownStatuses, isShownStatus, type ShownStatus } from './statuses.ts';

export type StatusCount = { status: ShownStatus; count: number };
export type ProviderCount = {
  provider: string;
  count: number;
  /** How they ended. */
  statuses: StatusCount[];
};

type Tallied = { status: string; provider: string };

/** How many ended as what, in the order in which statuses are listed; none that nobody has. */
export function tallyByStatus(answers: Iterable<{ status: string }>): StatusCount[] {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return inOrder(counts);
}

/** Counts by status in the order in which statuses are listed; one that is newer than this page counts as unknown. */
export function inOrder(byStatus: Readonly<Record<string, number>>): StatusCount[] {
  const counts = new Map<ShownStatus, number>();
  for (const [status, count] of Object.entries(byStatus)) {
    const shown = isShownStatus(status) ? status : 'unknown';
    counts.set(shown, (counts.get(shown) ?? 0) + count);
  }
  return shownStatuses.flatMap((status) => {
    const count = counts.get(status);
    return count === undefined ? [] : [{ status, count }];
  });
}

/** How many were at which provider, and how they ended. */
export function tallyByProvider(answers: Iterable<Tallied>, most: number): ProviderCount[] {
  const byProvider: Record<string, Record<string, number>> = {};
  for (const { provider, status } of answers) {
    const counts = (byProvider[provider] ??= {});
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return topProviders(byProvider, most);
}

/** The largest first; what is beyond the most that are shown is one last entry. */
export function topProviders(
  byProvider: Readonly<Record<string, Readonly<Record<string, number>>>>,
  most: number,
): ProviderCount[] {
  const sorted = Object.entries(byProvider)
    .map(([provider, counts]) => providerCount(provider, inOrder(counts)))
    .sort((a, b) => b.count - a.count || (a.provider < b.provider ? -1 : 1));
  if (sorted.length <= most) return sorted;
  const rest = sorted.slice(most - 1);
  const together: Record<string, number> = {};
  for (const { status, count } of rest.flatMap(({ statuses }) => statuses))
    together[status] = (together[status] ?? 0) + count;
  return [...sorted.slice(0, most - 1), providerCount(`${rest.length} others`, inOrder(together))];
}

function providerCount(provider: string, statuses: StatusCount[]): ProviderCount {
  return { provider, count: statuses.reduce((sum, { count }) => sum + count, 0), statuses };
}
