import { createOwnSignals } from '@mailproof/engine';
import type { Store } from '../../store/store.ts';
import { releaseTask, type Claim } from './claim-task.ts';
import { endTask } from './end-task.ts';
import { pendingItems, type Item } from './items.ts';
import { keepLease } from './keep-lease.ts';
import { deadlineReached, unverified } from './result.ts';
import { settleTask } from './settle-task.ts';
import { verifyItem, type VerifyItemParts } from './verify-item.ts';

/**
 * The story of a bulk task: a worker has claimed it; verify what is pending, side by side; settle when the last
 * address is answered.
 *
 *     due addresses      → verify them, look again
 *     only waiting ones  → put the task back until the first is due; nobody holds it meanwhile
 *     none               → settle
 *     deadline reached   → the rest is `unknown`, settle
 *     draining           → put the task back at once
 *     lease lost         → stop and discard: another worker has it
 */
export type RunTaskParts = VerifyItemParts & {
  store: Pick<Store, 'read' | 'write'>;
  taskRetentionMs: number;
};

export type RunTaskSignals = {
  /** Begin nothing new; what runs may end. */
  draining: AbortSignal;
  /** Break off what runs. */
  cut: AbortSignal;
};

type RunTaskAnswer = 'completed' | 'put_back' | 'lease_lost';

export async function runTask(
  claim: Claim,
  parts: RunTaskParts,
  signals: RunTaskSignals,
): Promise<RunTaskAnswer> {
  const lease = keepLease(claim, parts);
  const stop = AbortSignal.any([signals.cut, lease.lost]);
  try {
    while (!lease.lost.aborted) {
      const pending = await pendingItems(parts.store.read, claim.taskId);
      const now = parts.wallClock.now();
      const due = pending.filter((item) => item.nextAt <= now);
      if (pending.length === 0) return await settle(claim, parts);
      if (now >= claim.deadlineAt) return await end(claim, parts, pending);
      if (signals.draining.aborted) return await putBack(claim, parts, now);
      if (due.length === 0) return await putBack(claim, parts, firstDue(pending, claim));
      await verifyItems(due, { claim, parts, draining: signals.draining, stop });
    }
    return 'lease_lost';
  } finally {
    lease.end();
  }
}

type Round = {
  claim: Claim;
  parts: RunTaskParts;
  draining: AbortSignal;
  stop: AbortSignal;
  /** Begin nothing new; only what a mail host is being asked for now may end. */
  withdrawn?: AbortSignal;
};

const never = new AbortController().signal;

/**
 * Addresses that were never begun go side by side, as many as the slots allow. One whose probe did not come to an
 * end before may be what killed it: such addresses go one at a time, after the others, so that none is blamed
 * for another's fault.
 */
export async function verifyItems(due: Item[], round: Round): Promise<void> {
  const { draining, stop, withdrawn = never } = round;
  const waits = createOwnSignals(AbortSignal.any([draining, stop, withdrawn]));
  const conversations = createOwnSignals(withdrawn);
  const itemRound = { ...round, withdrawn, waits, probes: createOwnSignals(stop), conversations };
  const fresh = due.filter((item) => item.attempts === 0);
  const suspects = due.filter((item) => item.attempts > 0);
  const ended = await Promise.allSettled(fresh.map((item) => verifyItem(item, itemRound)));
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  for (const item of suspects) {
    if (stop.aborted || draining.aborted || withdrawn.aborted) return;
    await verifyItem(item, itemRound);
  }
}

/** The task comes up again when an address is due, and in any case at its deadline. */
function firstDue(pending: Item[], claim: Claim): number {
  return Math.min(claim.deadlineAt, ...pending.map((item) => item.nextAt));
}

async function putBack(claim: Claim, { store }: RunTaskParts, nextAt: number): Promise<RunTaskAnswer> {
  await store.write((tx) => releaseTask(tx, claim, nextAt));
  return 'put_back';
}

async function settle(claim: Claim, parts: RunTaskParts): Promise<RunTaskAnswer> {
  const ending = { now: parts.wallClock.now(), retentionMs: parts.taskRetentionMs };
  const answer = await parts.store.write((tx) => settleTask(tx, claim, ending), claim.accountId);
  return answer.kind === 'completed' ? 'completed' : 'lease_lost';
}

async function end(claim: Claim, parts: RunTaskParts, pending: Item[]): Promise<RunTaskAnswer> {
  const ending = { now: parts.wallClock.now(), retentionMs: parts.taskRetentionMs };
  const answer = await parts.store.write((tx) => endTask(tx, claim, ending), claim.accountId);
  if (answer.kind === 'completed' && claim.mode === 'live')
    for (const { email } of pending) parts.onResult?.(unverified(email, deadlineReached));
  return answer.kind === 'completed' ? 'completed' : 'lease_lost';
}
