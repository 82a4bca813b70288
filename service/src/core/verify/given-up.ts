import type { Clock } from '@mailproof/engine';
import { StoreUnavailableError } from '../store/store-unavailable-error.ts';

/**
 * Single verifications that the service gave up while its store failed. Their credit and their `Idempotency-Key` are to
 * be given back, and the store did not take that either. So it is tried again until it does: the sweeper would come only
 * after the time of the attempt, and until then every repeat would be told that the first is still running.
 */
export type GivenUp = {
  /** Tries at once, and again until it succeeds. Resolves after the first try. */
  add: (attempt: GivenUpAttempt) => Promise<void>;
  /** Whether this attempt is over, though the store still says that it runs. */
  has: (requestId: string) => boolean;
  stop: () => Promise<void>;
};

type GivenUpAttempt = {
  requestId: string;
  /** Gives back what the attempt holds; may run more than once. */
  giveBack: () => Promise<unknown>;
  /** Whether its reservation was committed for certain. If not, there may be nothing to give back. */
  started: boolean;
};

/** What is started counts more: others leave room for it. The sweeper finds the rest. */
const most = { started: 10_000, maybeStarted: 1_000 };
const triedAtOnce = 100;
const retryMs = 250;

type GivenUpParts = {
  clock: Pick<Clock, 'after'>;
  onProblem: (message: string, error: unknown) => void;
};

export function createGivenUp({ clock, onProblem }: GivenUpParts): GivenUp {
  const attempts = new Map<string, GivenUpAttempt>();
  let cancel: (() => void) | undefined;
  let retrying: Promise<void> | undefined;

  /** Returns whether the store took it. A failure that is not the store's is told, and not repeated. */
  async function giveBack({ requestId, giveBack: run }: GivenUpAttempt): Promise<boolean> {
    try {
      await run();
    } catch (error) {
      if (error instanceof StoreUnavailableError) return false;
      onProblem('the credit of a request that failed could not be given back', error);
    }
    attempts.delete(requestId);
    return true;
  }

  /** The first shows whether the store is back; until then the others ask nothing of it. */
  async function retry(): Promise<void> {
    const [first] = attempts.values();
    if (first !== undefined && (await giveBack(first)))
      await Promise.all([...attempts.values()].slice(0, triedAtOnce).map(giveBack));
    schedule();
  }

  function schedule(): void {
    cancel = undefined;
    if (attempts.size === 0) return;
    cancel = clock.after(retryMs, () => void (retrying = retry()));
  }

  return {
    add: async (attempt) => {
      if (attempts.size >= (attempt.started ? most.started : most.maybeStarted)) return;
      attempts.set(attempt.requestId, attempt);
      await giveBack(attempt);
      if (cancel === undefined) schedule();
    },
    has: (requestId) => attempts.has(requestId),
    stop: async () => {
      await retrying;
      cancel?.();
      attempts.clear();
    },
  };
}
