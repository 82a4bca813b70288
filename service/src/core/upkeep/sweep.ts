import { releaseExpiredHolds, releaseHoldsOf } from '../ledger/release-abandoned-holds.ts';
import type { ProcessRegistry, ProcessRole } from '../store/process-registry.ts';
import type { Tx } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { WallClock } from '../store/wall-clock.ts';
import { eraseAttemptsOf, eraseExpiredAnswers } from '../verify/idempotency.ts';
import { releaseTasksOf } from '../verify/tasks/claim-task.ts';
import { endOverdueTasks } from '../verify/tasks/end-task.ts';
import { eraseExpiredTasks, taskRowsErasedAtOnce } from '../verify/tasks/erase-expired-tasks.ts';
import { createEraser } from './erase-in-slices.ts';

/**
 * Cleans up, at the start and then every second: reservations, idempotency keys and tasks of dead processes, expired
 * reservations, tasks past their deadline, and addresses whose retention has ended. Features add their own chores.
 */
export type SweepParts = {
  store: Store;
  registry: ProcessRegistry;
  wallClock: WallClock;
  taskRetentionMs: number;
  chores: readonly Chores[];
  /** Told of each process that ended without stopping, by the process that gave back what it held. */
  onDeath?: (role: ProcessRole) => void;
};

/** The share of a feature in the upkeep of the store. */
export type Chores = {
  /** Gives back what a dead process held. */
  releaseOf?: (tx: Tx, processId: string) => Promise<unknown>;
  /** Makes a sweep, which returns how many rows with addresses it erased. */
  createSweep?: (parts: ChoreParts) => () => Promise<number>;
};

export type ChoreParts = Pick<SweepParts, 'store' | 'wallClock'> & {
  /** Concurrent sweeps of several processes run one after another, so that they do not wait for each other's rows. */
  serialKey: string;
};

/** The most rounds of one sweep; the next sweep continues. */
const mostRounds = 20;

const answersErasedAtOnce = 500;

const serialKey = 'sweep';

type Sweep = () => Promise<void>;

export function createSweep(parts: SweepParts): Sweep {
  let logHoldsErased = true;
  const eraseTasks = createEraser(eraseExpiredTasks, { most: taskRowsErasedAtOnce, serialKey });
  const eraseAnswers = createEraser(eraseExpiredAnswers, { most: answersErasedAtOnce, serialKey });
  const sweeps = parts.chores.flatMap(({ createSweep: create }) => create?.({ ...parts, serialKey }) ?? []);
  return async () => {
    await releaseTheDead(parts);
    await repeatedly((now) => releaseExpiredHolds(now, parts), parts);
    await repeatedly((now) => endOverdueTasks({ ...endingOf(parts), now }, parts), parts);
    let erased = 0;
    for (const sweep of sweeps) erased += await sweep();
    erased += await eraseTasks(parts);
    erased += await eraseAnswers(parts);
    logHoldsErased ||= erased > 0;
    if (logHoldsErased) logHoldsErased = !(await parts.store.truncateLog());
  };
}

function endingOf({ registry, taskRetentionMs }: SweepParts) {
  return { processId: registry.ownId, retentionMs: taskRetentionMs };
}

/** Repeats a step until it finds nothing more, for some rounds at most. Returns how much was done. */
export async function repeatedly(
  work: (now: number) => Promise<number>,
  { wallClock }: Pick<SweepParts, 'wallClock'>,
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
  const { store, registry, wallClock, chores, onDeath } = parts;
  for (const processId of await registry.findDead()) {
    const now = wallClock.now();
    while ((await releaseHoldsOf({ processId, now }, { store })) > 0);
    await store.write(async (tx) => {
      await eraseAttemptsOf(tx, processId);
      await releaseTasksOf(tx, processId);
      for (const { releaseOf } of chores) await releaseOf?.(tx, processId);
    }, serialKey);
    const role = await registry.remove(processId);
    if (role !== undefined) onDeath?.(role);
  }
}
