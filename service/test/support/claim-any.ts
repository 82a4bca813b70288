import type { Tx } from '../../src/core/store/statement.ts';
import { claimTask, type Claim } from '../../src/core/verify/tasks/claim-task.ts';

/** Claims a task of a live key or, where none is due, of a test key; or of the one kind that is named. */
export async function claimAny(
  tx: Tx,
  by: { processId: string; now: number },
  only?: Claim['mode'],
): Promise<Claim | undefined> {
  if (only !== undefined) return claimTask(tx, { ...by, mode: only });
  return (await claimTask(tx, { ...by, mode: 'live' })) ?? claimTask(tx, { ...by, mode: 'test' });
}
