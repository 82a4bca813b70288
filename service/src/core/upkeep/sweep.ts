import { releaseExpiredHolds, releaseHoldsOf } from '../ledger/release-abandoned-holds.ts';
import type { ProcessRegistry, ProcessRole } from '../store/process-registry.ts';
import type { Tx } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { WallClock } from '../store/wall-clock.ts';
import { eraseAttemptsOf, eraseExpiredAnswers } from '../verify/idempotency.ts';
import { eraseExpiredInvitations } from '../../features/people/invitations.ts';
import { eraseExpiredVisits } from '../../features/people/recognise-identity.ts';
import { eraseExpiredSessions } from '../../features/people/sessions/create-sessions.ts';
import {
  abandonListsOf,
  eraseListSlice,
  rowsErasedAtOnce,
  tendLists,
} from '../../features/lists/tend-lists.ts';
import { egressChannel } from '../../features/probers/egress-addresses.ts';
import { tendProbers } from '../../features/probers/prober-faults.ts';
import { eraseOverdueProbes } from '../../features/probers/probe-rows.ts';
import { releaseDeliveriesOf } from '../../features/webhooks/claim-delivery.ts';
import { deliveriesErasedAtOnce, eraseWebhookSlice } from '../../features/webhooks/erase-webhooks.ts';
import { releaseTasksOf } from '../verify/tasks/claim-task.ts';
import { endOverdueTasks } from '../verify/tasks/end-task.ts';
import { eraseExpiredTasks, taskRowsErasedAtOnce } from '../verify/tasks/erase-expired-tasks.ts';
import { createEraser } from './erase-in-slices.ts';

/**
 * Cleans up, at the start and then every second: reservations, idempotency keys and tasks of dead processes, expired
 * reservations, tasks past their deadline, and addresses whose retention has ended.
 */
export type SweepParts = {
  store: Store;
  registry: ProcessRegistry;
  wallClock: WallClock;
  taskRetentionMs: number;
  /** Told of each process that ended without stopping, by the process that gave back what it held. */
  onDeath?: (role: ProcessRole) => void;
};

/** The most rounds of one sweep; the next sweep continues. */
const mostRounds = 20;

const answersErasedAtOnce = 500;

/** Concurrent sweeps of several processes run one after another, so that they do not wait for each other's rows. */
const serialKey = 'sweep';

type Sweep = () => Promise<void>;

export function createSweep(parts: SweepParts): Sweep {
  let logHoldsErased = true;
  const eraseLists = createEraser(eraseListSlice, { most: rowsErasedAtOnce, serialKey });
  const eraseTasks = createEraser(eraseExpiredTasks, { most: taskRowsErasedAtOnce, serialKey });
  const eraseWebhooks = createEraser(eraseWebhookSlice, { most: deliveriesErasedAtOnce, serialKey });
  const eraseAnswers = createEraser(eraseExpiredAnswers, { most: answersErasedAtOnce, serialKey });
  return async () => {
    await releaseTheDead(parts);
    await repeatedly((now) => releaseExpiredHolds(now, parts), parts);
    await repeatedly((now) => endOverdueTasks({ ...endingOf(parts), now }, parts), parts);
    await tendLists(parts.wallClock.now(), parts);
    const erasedLists = await eraseLists(parts);
    const erasedTasks = await eraseTasks(parts);
    if ((await parts.store.write((tx) => tendProbers(tx, parts.wallClock.now()), serialKey)) > 0)
      parts.store.notify(egressChannel);
    const erasedProbes = await repeatedly(
      (now) => parts.store.write((tx) => eraseOverdueProbes(tx, now), serialKey),
      parts,
    );
    await eraseWebhooks(parts);
    await parts.store.write((tx) => eraseExpiredSignIns(tx, parts.wallClock.now()), serialKey);
    const erasedAnswers = await eraseAnswers(parts);
    logHoldsErased ||= erasedLists + erasedTasks + erasedProbes + erasedAnswers > 0;
    if (logHoldsErased) logHoldsErased = !(await parts.store.truncateLog());
  };
}

async function eraseExpiredSignIns(tx: Tx, now: number): Promise<void> {
  await eraseExpiredSessions(tx, now);
  await eraseExpiredVisits(tx, now);
  await eraseExpiredInvitations(tx, now);
}

function endingOf({ registry, taskRetentionMs }: SweepParts) {
  return { processId: registry.ownId, retentionMs: taskRetentionMs };
}

async function repeatedly(
  work: (now: number) => Promise<number>,
  { wallClock }: SweepParts,
): Promise<number> {
  let done = 0;
  for (let round = 0; round < mostRounds; round += 1) {
    const count = await work(wallClock.now());
    if (count === 0) break;
    done += count;
  }
  return done;
}

/**
 * Gives back what dead processes held. A dead process is removed only after all it held was released, so that a crash in
 * between repeats the work.
 */
export async function releaseTheDead(parts: SweepParts): Promise<void> {
  const { store, registry, wallClock, onDeath } = parts;
  for (const processId of await registry.findDead()) {
    const now = wallClock.now();
    while ((await releaseHoldsOf({ processId, now }, { store })) > 0);
    await store.write(async (tx) => {
      await eraseAttemptsOf(tx, processId);
      await releaseTasksOf(tx, processId);
      await releaseDeliveriesOf(tx, processId);
      await abandonListsOf(tx, processId);
    }, serialKey);
    const role = await registry.remove(processId);
    if (role !== undefined) onDeath?.(role);
  }
}
