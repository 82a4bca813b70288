import type { Tx } from '../../src/db/statement.ts';
import { claimTask, type Claim } from '../../src/tasks/claim-task.ts';

/** Claims a task of a live key or, where none is due, of a test key. */
export async function claimAny(tx: Tx, by: { processId: string; now: number }): Promise<Claim | undefined> {
  return (await claimTask(tx, { ...by, mode: 'live' })) ?? claimTask(tx, { ...by, mode: 'test' });
}
