import type { ServiceHealth, StatusCounts } from '@mailproof/client';
import { type ShownStatus, shownStatuses } from '../../parts/statuses.ts';

/** Returns counts per status in display order; zeros omitted. */
export function partsOf(counts: StatusCounts): { status: ShownStatus; count: number }[] {
  return shownStatuses.flatMap((status) => {
    const count = status === 'rejected' ? undefined : counts[status];
    return count === undefined || count === 0 ? [] : [{ status, count }];
  });
}

export function totalOf(counts: StatusCounts): number {
  return partsOf(counts).reduce((sum, { count }) => sum + count, 0);
}

export function countUnknown(verdicts: ServiceHealth['verdicts']): { unknown: number; total: number } {
  return {
    unknown: verdicts.reduce((sum, { counts }) => sum + (counts.unknown ?? 0), 0),
    total: verdicts.reduce((sum, { counts }) => sum + totalOf(counts), 0),
  };
}
