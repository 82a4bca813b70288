import type { Config } from '../core/config/config.ts';
import type { ProcessRegistry } from '../core/store/process-registry.ts';
import type { Store } from '../core/store/store.ts';
import { runListTask } from '../features/lists/run-list-task.ts';
import { watchLists, type ListWatch } from '../features/lists/watch-lists.ts';
import { claimTask, type Claim } from '../core/verify/tasks/claim-task.ts';
import { tracedTasks } from '../core/process/traced.ts';
import { runTask, type RunTaskParts } from '../core/verify/tasks/run-task.ts';
import { startWorker, workerLimits } from '../core/verify/worker/start-worker.ts';

type TaskParts = Omit<RunTaskParts, 'itemTimeoutMs' | 'deferRetryMs' | 'taskRetentionMs'> & {
  store: Store;
  registry: ProcessRegistry;
  /** The channel that announces new tasks of every process. */
  channel: string;
  /** Told of a task that had to be left to another process. */
  onLeaseLost: () => void;
};

/**
 * The workers of this process: they claim tasks, whichever process created them, and put them back when they stop. The
 * tasks of test keys have a worker of their own, so that they neither wait behind slow mail hosts nor hold up live ones.
 */
export function startTasks(config: Config, parts: TaskParts): { stop(): Promise<void> } {
  const listWatch = watchLists(parts);
  const workers = (['live', 'test'] as const).map((mode) =>
    startWorkerFor(mode, config, { ...parts, listWatch }),
  );
  const stopListening = parts.store.listen(parts.channel, () => workers.forEach((worker) => worker.wake()));
  return {
    stop: async () => {
      stopListening();
      await Promise.all(workers.map((worker) => worker.stop()));
      listWatch.close();
    },
  };
}

function startWorkerFor(mode: Claim['mode'], config: Config, parts: TaskParts & { listWatch: ListWatch }) {
  const { store, registry, clock, wallClock, onProblem } = parts;
  const { taskDeadlineMs, deferRetryMs, taskRetentionMs } = config;
  return startWorker({
    claim: () =>
      store.write((tx) => claimTask(tx, { processId: registry.ownId, mode, now: wallClock.now() })),
    run: async (claim, signals) => {
      const taskParts = { ...parts, itemTimeoutMs: taskDeadlineMs, deferRetryMs, taskRetentionMs };
      const [kind, run] =
        claim.listId === null ? (['task', runTask] as const) : (['list', runListTask] as const);
      const answer = await tracedTasks.tracePromise(() => run(claim, taskParts, signals), { kind });
      if (answer === 'lease_lost') parts.onLeaseLost();
    },
    clock,
    limits: workerLimits(config.verificationsAtOnce),
    onProblem,
  });
}
