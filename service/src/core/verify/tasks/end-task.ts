import { sql } from 'kysely';
import type { Store } from '../../store/store.ts';
import { statement, type Tx } from '../../store/statement.ts';
import { takeTask, type Claim } from './claim-task.ts';
import { pendingItems, recordResult } from './items.ts';
import { deadlineReached, unverified } from './result.ts';
import { settleTask, type SettleTaskAnswer } from './settle-task.ts';
import { withVisits } from './visits.ts';

type Ending = { now: number; retentionMs: number };

/** The deadline is reached: what has no answer is `unknown`, its credit goes back, the task is completed. */
export async function endTask(tx: Tx, claim: Claim, ending: Ending): Promise<SettleTaskAnswer> {
  const pending = await pendingItems(tx, claim.taskId);
  await Promise.all(
    pending.map(({ position, email, visits }) => {
      const result = unverified(email, withVisits(deadlineReached, visits));
      return recordResult(tx, claim, { position, result });
    }),
  );
  return settleTask(tx, claim, ending);
}

const overdueAtOnce = 50;

const findOverdue = statement((db, arg: { now: number }) =>
  db
    .selectFrom('task')
    .select(['id', 'account_id'])
    .where('status', '<>', sql.lit('completed'))
    .where('deadline_at', '<=', arg.now)
    .where('lease_until', '<=', arg.now)
    // Those of a list end with it.
    .where('list_id', 'is', null)
    .limit(overdueAtOnce),
);

/** Ends the tasks past their deadline that no worker holds, so that workers that are all busy delay none (L1). */
export async function endOverdueTasks(
  { processId, now, retentionMs }: Ending & { processId: string },
  { store }: { store: Pick<Store, 'read' | 'write'> },
): Promise<number> {
  const overdue = await store.read.all(findOverdue, { now });
  await Promise.all(
    overdue.map(({ id, account_id }) =>
      store.write(async (tx) => {
        const claim = await takeTask(tx, { taskId: id, processId, now });
        if (claim !== undefined) await endTask(tx, claim, { now, retentionMs });
      }, account_id),
    ),
  );
  return overdue.length;
}
