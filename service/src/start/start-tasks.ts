import type { Config } from '../config.ts';
import type { ProcessRegistry } from '../db/process-registry.ts';
import type { Store } from '../db/store.ts';
import { runListTask } from '../lists/run-list-task.ts';
import { claimTask } from '../tasks/claim-task.ts';
import { runTask, type RunTaskParts } from '../tasks/run-task.ts';
import { startWorker, workerLimits } from '../worker/start-worker.ts';

type TaskParts = Omit<RunTaskParts, 'itemTimeoutMs' | 'deferRetryMs' | 'taskRetentionMs'> & {
  store: Store;
  registry: ProcessRegistry;
  /** The channel that announces new tasks of every process. */
  channel: string;
};

/** The worker of this process: claims tasks, whichever process created them, and puts them back when it stops. */
export function startTasks(config: Config, parts: TaskParts): { stop(): Promise<void> } {
  const { store, registry, clock, wallClock, onProblem } = parts;
  const { taskDeadlineMs, deferRetryMs, taskRetentionMs } = config;
  const worker = startWorker({
    claim: () => store.write((tx) => claimTask(tx, { processId: registry.ownId, now: wallClock.now() })),
    run: (claim, signals) => {
      const taskParts = { ...parts, itemTimeoutMs: taskDeadlineMs, deferRetryMs, taskRetentionMs };
      return claim.listId === null
        ? runTask(claim, taskParts, signals)
        : runListTask(claim, taskParts, signals);
    },
    clock,
    limits: workerLimits(config.verificationsAtOnce),
    onProblem,
  });
  const stopListening = store.listen(parts.channel, worker.wake);
  return {
    stop: async () => {
      stopListening();
      await worker.stop();
    },
  };
}
