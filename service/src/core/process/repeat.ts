import type { Clock } from '@mailproof/engine';

/** A job that is repeated until it is stopped. */
type Repeated = {
  /** Waits for the current run, and starts no other. */
  stop: () => Promise<void>;
};

type RepeatParts = {
  clock: Clock;
  everyMs: number;
  /** Begin with the first run, and not with the first wait. */
  atOnce?: boolean;
  onProblem: (message: string, error: unknown) => void;
};

/** Runs `job` `everyMs` milliseconds after its previous run has ended; a failure is reported and the job tried again. */
export function repeat(
  job: () => Promise<unknown>,
  { clock, everyMs, atOnce = false, onProblem }: RepeatParts,
): Repeated {
  let stopped = false;
  let running: Promise<void> | undefined;
  let cancel = clock.after(atOnce ? 0 : everyMs, run);

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
