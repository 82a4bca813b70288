import { shownStatuses, isShownStatus, type ShownStatus } from './statuses.ts';

export type StatusCount = { status: ShownStatus; count: number };
export type ProviderCount = {
  provider: string;
  count: number;
  /** How they ended, where that is known of each provider. */
  statuses?: StatusCount[];
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

/** The largest first; what is beyond the most that are shown is one last entry. */
export function tallyByProvider(answers: Iterable<Tallied>, most: number): ProviderCount[] {
  const groups = new Map<string, Tallied[]>();
  for (const answer of answers) {
    const group = groups.get(answer.provider);
    if (group === undefined) groups.set(answer.provider, [answer]);
    else group.push(answer);
  }
  const sorted = [...groups].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  const shown = sorted.length > most ? sorted.slice(0, most - 1) : sorted;
  const rest = sorted.slice(shown.length);
  const others: typeof sorted =
    rest.length === 0 ? [] : [[`${rest.length} others`, rest.flatMap(([, group]) => group)]];
  return [...shown, ...others].map(([provider, group]) => ({
    provider,
    count: group.length,
    statuses: tallyByStatus(group),
  }));
}
