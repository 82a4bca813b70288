import { sql } from 'kysely';
import { settle } from '../../ledger/settle.ts';
import { statement, type Tx } from '../../store/statement.ts';
import { retentionOf } from '../sandbox/sandbox-allowance.ts';
import type { Claim } from './claim-task.ts';
import { presentResults } from './present-results.ts';

/**
 * Completes a task whose addresses are all answered: what was conclusive is charged, the rest of the hold goes
 * back, the results are made ready, the lease ends and the time until erasure begins. One transaction; any step that does not find what
 * it expects undoes all of them.
 */
export type SettleTaskAnswer =
  { kind: 'completed'; charged: number } | { kind: 'not_finished' } | { kind: 'stale_fence' };

type Completion = { task: string; fence: number; now: number; expires: number; results: string };

const complete = statement((db, arg: Completion) =>
  db
    .updateTable('task')
    .set({
      status: 'completed',
      lease_owner: null,
      lease_until: 0,
      completed_at: arg.now,
      expires_at: arg.expires,
      results: arg.results,
    })
    .where('id', '=', arg.task)
    .where('fence', '=', arg.fence)
    .where('status', '=', 'running')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('item')
            .select('item.position')
            .whereRef('item.task_id', '=', 'task.id')
            .where('item.state', '=', sql.lit('pending')),
        ),
      ),
    )
    .returning((eb) => [
      'total',
      eb
        .selectFrom('account')
        .select('account.wanted_events')
        .whereRef('account.id', '=', 'task.account_id')
        .as('wanted'),
    ]),
);

const findFence = statement((db, arg: { task: string; fence: number }) =>
  db
    .selectFrom('task')
    .select('id')
    .where('id', '=', arg.task)
    .where('fence', '=', arg.fence)
    .where('status', '=', 'running'),
);

const countConclusive = statement((db, arg: { task: string }) =>
  db
    .selectFrom('item')
    .select((eb) => eb.fn.countAll<number>().as('items'))
    .where('task_id', '=', arg.task)
    .where('conclusive', '=', 1),
);

export async function settleTask(
  tx: Tx,
  claim: Claim,
  { now, retentionMs }: { now: number; retentionMs: number },
): Promise<SettleTaskAnswer> {
  const { taskId: task, fence, accountId, holdId } = claim;
  const expires = now + retentionOf(claim.mode, retentionMs);
  const results = await presentResults(tx, task, { explain: false });
  const done = await tx.first(complete, { task, fence, now, expires, results });
  if (done === undefined) {
    const current = await tx.first(findFence, { task, fence });
    return { kind: current === undefined ? 'stale_fence' : 'not_finished' };
  }
  const tell = (charged: number) =>
    tx.tell({
      kind: 'event',
      accountId,
      wanted: done.wanted,
      event: {
        type: 'task.completed',
        data: { task_id: task, mode: claim.mode, count_total: done.total, credits_used: charged },
      },
      now,
    });
  if (holdId === null) {
    await tell(0);
    return { kind: 'completed', charged: 0 };
  }
  const charge = (await tx.first(countConclusive, { task }))?.items ?? 0;
  const settled = await settle(tx, { accountId, holdId, charge, now });
  if (settled.kind !== 'settled') throw new Error('the hold of a running task was settled by somebody else');
  await tell(settled.charged);
  return { kind: 'completed', charged: settled.charged };
}
