import type { Clock } from '@mailproof/engine';

/** A job that is done again and again until it is stopped. */
type Repeated = {
  /** Waits for the run under way, and begins no other. */
  stop: () => Promise<void>;
};

type RepeatParts = {
  clock: Clock;
  everyMs: number;
  onProblem: (message: string, error: unknown) => void;
};

/** Runs `job` every `everyMs` milliseconds after the run before has ended; one that fails is told of and tried again. */
export function repeat(job: () => Promise<unknown>, { clock, everyMs, onProblem }: RepeatParts): Repeated {
  let stopped = false;
  let running: Promise<void> | undefined;
  let cancel = clock.after(everyMs, run);

  function run(): void {
    running = job()
      .then(() => undefined)
      .catch((error: unknown) => onProblem('upkeep failed and will be tried again', error))
      .finally(() => {
        if (!stopped) cancel = clock.after(everyMs, run);
      });
  }

  return {
    stop: async () => {
      stopped = true;
      cancel();
      await running;
    },
  };
}
