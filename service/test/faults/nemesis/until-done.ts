import { setTimeout as sleep } from 'node:timers/promises';

/** Runs work, and repeats it while the database is away for another reason. */
export async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (let triesLeft = 100; ; triesLeft -= 1) {
    try {
      return await work();
    } catch (error) {
      if (triesLeft === 0) throw error;
      await sleep(100);
    }
  }
}
