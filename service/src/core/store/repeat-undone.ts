import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailableError } from './store-unavailable-error.ts';

/** Runs a transaction, and again if the database undid it: a deadlock, or concurrent changes of the same rows. */
export async function repeatUndone<T>(run: () => Promise<T>, mostTries: number): Promise<T> {
  for (let triesLeft = mostTries; ;) {
    try {
      return await run();
    } catch (error) {
      triesLeft -= 1;
      const undone = error instanceof StoreUnavailableError && error.fault === 'conflict';
      if (!undone || triesLeft === 0) throw error;
      // Random, to get out of step with the other transaction.
      await sleep(Math.random() * 20);
    }
  }
}
