import type { Clock } from '@mailproof/engine';
import type { ProcessRegistry, ProcessRole } from '../store/process-registry.ts';
import { StoreUnavailableError } from '../store/store-unavailable-error.ts';
import { repeat } from '../process/repeat.ts';

/** Tells how many processes run tasks, lists and webhooks. Without one they wait, while single requests are answered. */
export type WorkerWatch = {
  /** `undefined` if the database does not say. */
  count: () => Promise<number | undefined>;
};

/** Roles of `mailproof serve` that run tasks. */
const workingRoles: ReadonlySet<ProcessRole> = new Set<ProcessRole>(['all', 'worker']);

export const noWorkerProblem =
  'no worker is running, so tasks, lists and webhooks wait: start mailproof serve --role worker';

export function countWorkers(living: readonly { role: ProcessRole }[]): number {
  return living.filter(({ role }) => workingRoles.has(role)).length;
}

const rememberMs = 2_000;
const lookEveryMs = 5_000;

type TellParts = {
  workers: WorkerWatch;
  clock: Clock;
  onProblem: (message: string, error?: unknown) => void;
  /** Told when the problem is over. */
  onRecovery: (message: string) => void;
};

/** Says once that no worker is running, and once that one is again. */
export function tellOfWorkers({ workers, clock, onProblem, onRecovery }: TellParts) {
  let isTold = false;
  async function look(): Promise<void> {
    const count = await workers.count();
    if (count === undefined) return;
    if (count === 0 && !isTold) onProblem(noWorkerProblem);
    if (count > 0 && isTold) onRecovery('a worker is running again');
    isTold = count === 0;
  }
  return repeat(look, { clock, everyMs: lookEveryMs, onProblem });
}

type WorkerWatchParts = {
  registry: Pick<ProcessRegistry, 'findLiving'>;
  clock: Pick<Clock, 'now'>;
};

export function createWorkerWatch({ registry, clock }: WorkerWatchParts): WorkerWatch {
  let known: { count: Promise<number | undefined>; until: number } | undefined;
  async function read(): Promise<number | undefined> {
    try {
      return countWorkers(await registry.findLiving());
    } catch (error) {
      if (error instanceof StoreUnavailableError) return undefined;
      throw error;
    }
  }
  return {
    count: () => {
      const now = clock.now();
      if (known === undefined || now >= known.until) known = { count: read(), until: now + rememberMs };
      return known.count;
    },
  };
}
