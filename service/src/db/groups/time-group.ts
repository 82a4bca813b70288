import { tracedGroups } from '../../traced.ts';

/** How one transaction went, for whoever watches the store. */
export type GroupReport = { operations: number; tookMs: number; outcome: 'committed' | 'failed' };

export type OnGroup = (report: GroupReport) => void;

/** Runs the transaction of a group and reports it. */
export async function timeGroup<T>(
  operations: number,
  run: () => Promise<T>,
  onGroup: OnGroup | undefined,
): Promise<T> {
  const traced = () => tracedGroups.tracePromise(run, { operations });
  if (onGroup === undefined) return traced();
  const startedAt = performance.now();
  let outcome: GroupReport['outcome'] = 'failed';
  try {
    const answer = await traced();
    outcome = 'committed';
    return answer;
  } finally {
    onGroup({ operations, tookMs: performance.now() - startedAt, outcome });
  }
}
