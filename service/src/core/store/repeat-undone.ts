import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailableError } from './store-unavailable-error.ts';

/**
 * Runs a transaction, and again where the database undid it because it and others waited for each other, or changed the
 * same at the same time.
 */
export async function repeatUndone<T>(run: () => Promise<T>, mostTries: number): Promise<T> {
  for (let triesLeft = mostTries; ;) {
    try {
      return await run();
    } catch (error) {
      triesLeft -= 1;
      const undone = error instanceof StoreUnavailableError && error.fault === 'conflict';
      if (!undone || triesLeft === 0) throw error;
      // Not in step with whom we lost against.
      await sleep(Math.random() * 20);
    }
  }
}
