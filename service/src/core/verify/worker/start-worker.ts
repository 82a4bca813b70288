import type { Clock } from '@mailproof/engine';

/**
 * The loop that keeps tasks running. It is handed `claim` and `run` and knows neither SQL nor mail.
 *
 *     working ── while there is room: claim, run ──▶ nothing to claim ── woken, or after a while ──▶ working
 *     stop ──▶ draining: claims nothing; what runs may end ── after `drainMs` ──▶ cut ──▶ stopped
 *
 * New tasks of this process wake it at once. Polling finds the rest: tasks of another process, tasks whose time has
 * come, tasks whose worker died. Where it was woken for nothing, because the account has its share under way or another
 * worker was faster, the next new task wakes it a moment later: a thousand new tasks a second are not a thousand claims.
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

/** How long new tasks do not wake it after it was woken for nothing. */
const afterVainWakeMs = 50;

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
    let wokenByTask = false;
    while (!draining.signal.aborted) {
      const claim = running.size < limits.tasksAtOnce ? await claimNext() : undefined;
      if (claim === undefined) {
        if (wokenByTask) await wakeUp.wait(afterVainWakeMs, ['room']);
        wokenByTask = (await wakeUp.wait(limits.pollMs, ['room', 'new_task'])).has('new_task');
        continue;
      }
      wokenByTask = false;
      const work = run(claim).finally(() => {
        running.delete(work);
        wakeUp.call('room');
      });
      running.add(work);
    }
  }

  const looping = loop();
  return {
    wake: () => wakeUp.call('new_task'),
    stop: async () => {
      draining.abort();
      wakeUp.call('room');
      const cancel = clock.after(limits.drainMs, () => cut.abort());
      await looping;
      await Promise.all(running);
      cancel();
    },
  };
}

/** Why the loop looks again before it polls: a task was created, or one that ran has ended. */
type Call = 'new_task' | 'room';

/** Waits for a call or for some time; a call that comes before the wait ends the next wait for it at once. */
function createWakeUp(clock: Clock) {
  let called = new Set<Call>();
  let onCall: (() => void) | undefined;
  return {
    call: (call: Call): void => {
      called.add(call);
      onCall?.();
    },
    /** Answers with the calls that came; a wait for all kinds of calls forgets them. */
    wait: async (ms: number, calls: Call[]): Promise<ReadonlySet<Call>> => {
      const isCalled = () => calls.some((call) => called.has(call));
      if (!isCalled()) {
        await new Promise<void>((resolve) => {
          const cancel = clock.after(ms, resolve);
          onCall = () => {
            if (!isCalled()) return;
            cancel();
            resolve();
          };
        });
      }
      onCall = undefined;
      const came = called;
      if (calls.length > 1) called = new Set();
      return came;
    },
  };
}
