import type { Store } from '../../core/store/store.ts';
import { isShelved, releaseTask, type Claim } from '../../core/verify/tasks/claim-task.ts';
import { pendingItems } from '../../core/verify/tasks/items.ts';
import { keepLease } from '../../core/verify/tasks/keep-lease.ts';
import { verifyItems, type RunTaskParts, type RunTaskSignals } from '../../core/verify/tasks/run-task.ts';
import { settleListTask, shelveListTask } from './settle-list-task.ts';
import type { ListWatch } from './watch-lists.ts';

type ListTaskParts = RunTaskParts & {
  store: Pick<Store, 'writeAlone'>;
  listWatch: Pick<ListWatch, 'follow'>;
};

/**
 * The story of a list's task: a worker has claimed it; verify what is due, side by side; give the rest back to the list.
 *
 *     due addresses        → verify them, look again
 *     none due, or late    → settle: answers to the rows, deferred addresses to the list
 *     list paused          → let conversations under way end, keep the rest in the task for later
 *     draining             → put the task back at once
 *     lease lost           → stop and discard: another worker has it, or the list was ended
 */
export async function runListTask(
  claim: Claim,
  parts: ListTaskParts,
  signals: RunTaskSignals,
): Promise<'settled' | 'put_back' | 'lease_lost'> {
  const lease = keepLease(claim, parts);
  const list = parts.listWatch.follow(listOf(claim));
  const stop = AbortSignal.any([signals.cut, lease.lost]);
  try {
    while (!lease.lost.aborted) {
      const now = parts.wallClock.now();
      const due = (await pendingItems(parts.store.read, claim.taskId)).filter((item) => item.nextAt <= now);
      if (due.length === 0 || now >= claim.deadlineAt) return await settle(claim, parts);
      if (list.stopped.aborted || (await isShelved(parts.store.read, claim.taskId)))
        return await settle(claim, parts, shelveListTask);
      if (signals.draining.aborted) return await putBack(claim, parts, now);
      await verifyItems(due, { claim, parts, draining: signals.draining, stop, withdrawn: list.stopped });
    }
    return 'lease_lost';
  } finally {
    lease.end();
    list.end();
  }
}

function listOf({ listId }: Claim): string {
  if (listId === null) throw new Error('a task that is no part of a list was run as one');
  return listId;
}

async function settle(
  claim: Claim,
  parts: ListTaskParts,
  work = settleListTask,
): Promise<'settled' | 'lease_lost'> {
  const answer = await parts.store.writeAlone(
    (tx) => work(tx, claim, parts.wallClock.now()),
    claim.accountId,
  );
  return answer.kind === 'settled' ? 'settled' : 'lease_lost';
}

async function putBack(claim: Claim, { store }: RunTaskParts, nextAt: number): Promise<'put_back'> {
  await store.write((tx) => releaseTask(tx, claim, nextAt));
  return 'put_back';
}
