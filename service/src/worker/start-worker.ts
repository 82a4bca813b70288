import type { Clock } from '@mailproof/engine';

/**
 * The loop that keeps tasks running. It is handed `claim` and `run` and knows neither SQL nor mail.
 *
 *     working ── while there is room: claim, run ──▶ nothing to claim ── woken, or after a while ──▶ working
 *     stop ──▶ draining: claims nothing; what runs may end ── after `drainMs` ──▶ cut ──▶ stopped
 *
 * New tasks of this process wake it at once. Polling finds the rest: tasks of another process, tasks whose time has
 * come, tasks whose worker died.
 */
type TaskWorker = {
  wake: () => void;
  /** Resolves when nothing runs any more. */
  stop: () => Promise<void>;
};

export type WorkerSignals = { draining: AbortSignal; cut: AbortSignal };

type WorkerParts<Claim> = {
  claim: () => Promise<Claim | undefined>;
  run: (claim: Claim, signals: WorkerSignals) => Promise<unknown>;
  clock: Clock;
  limits: WorkerLimits;
  onProblem: (message: string, error: unknown) => void;
};

type WorkerLimits = { tasksAtOnce: number; pollMs: number; drainMs: number };

/**
 * Tasks are claimed as they can be worked on: one for every eight verifications, so that tasks waiting for slow hosts
 * leave no slot empty, and at least enough to fill the slots by the shares of accounts. More would only be withheld from
 * other workers.
 */
export function workerLimits(verificationsAtOnce: number): WorkerLimits {
  return { tasksAtOnce: Math.max(8, Math.ceil(verificationsAtOnce / 8)), pollMs: 1_000, drainMs: 20_000 };
}

export function startWorker<Claim>(parts: WorkerParts<Claim>): TaskWorker {
  const { clock, limits } = parts;
  const draining = new AbortController();
  const cut = new AbortController();
  const running = new Set<Promise<void>>();
  const wakeUp = createWakeUp(clock);

  async function run(claim: Claim): Promise<void> {
    try {
      await parts.run(claim, { draining: draining.signal, cut: cut.signal });
    } catch (error) {
      parts.onProblem('a task was interrupted and will be claimed again', error);
    }
  }

  async function claimNext(): Promise<Claim | undefined> {
    try {
      return await parts.claim();
    } catch (error) {
      parts.onProblem('no task could be claimed', error);
      return undefined;
    }
  }

  async function loop(): Promise<void> {
    while (!draining.signal.aborted) {
      const claim = running.size < limits.tasksAtOnce ? await claimNext() : undefined;
      if (claim === undefined) {
        await wakeUp.wait(limits.pollMs);
        continue;
      }
      const work = run(claim).finally(() => {
        running.delete(work);
        wakeUp.signal();
      });
      running.add(work);
    }
  }

  const looping = loop();
  return {
    wake: wakeUp.signal,
    stop: async () => {
      draining.abort();
      wakeUp.signal();
      const cancel = clock.after(limits.drainMs, () => cut.abort());
      await looping;
      await Promise.all(running);
      cancel();
    },
  };
}

/** Waits for a wake-up or for some time; a wake-up that comes before the wait ends the next wait at once. */
function createWakeUp(clock: Clock) {
  let signalled = false;
  let endWait: (() => void) | undefined;
  return {
    signal: (): void => {
      signalled = true;
      endWait?.();
    },
    wait: async (ms: number): Promise<void> => {
      if (!signalled) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(ms, resolve);
          endWait = () => {
            cancel();
            resolve();
          };
        });
      }
      endWait = undefined;
      signalled = false;
    },
  };
}
