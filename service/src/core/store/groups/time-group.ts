import { tracedGroups } from '../../process/traced.ts';
import { StoreUnavailableError, type StoreFault } from '../store-unavailable-error.ts';

/** How one transaction went, for whoever watches the store. */
export type GroupReport = {
  operations: number;
  tookMs: number;
  outcome: 'committed' | 'failed';
  /** Why it failed, if the store did. */
  fault?: StoreFault;
};

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
  const tookMs = () => performance.now() - startedAt;
  try {
    const answer = await traced();
    onGroup({ operations, tookMs: tookMs(), outcome: 'committed' });
    return answer;
  } catch (error) {
    const fault = error instanceof StoreUnavailableError ? { fault: error.fault } : {};
    onGroup({ operations, tookMs: tookMs(), outcome: 'failed', ...fault });
    throw error;
  }
}
