import type { Clock } from '@mailproof/engine';

const firstMs = 250;
const longestMs = 15_000;

/** Waits that double, each shortened by up to half so that many probers do not come back at the same moment. */
export function createRetryWaits(random: () => number = Math.random) {
  let failures = 0;
  return {
    next: (): number => {
      const wait = Math.min(firstMs * 2 ** failures, longestMs);
      failures += 1;
      return wait * (0.5 + random() / 2);
    },
    reset: () => void (failures = 0),
  };
}

/** A wait that anybody may end. */
export function createPause(clock: Clock) {
  let end: () => void = () => undefined;
  return {
    end: () => end(),
    async begin(ms: number, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return;
      const over = Promise.withResolvers<undefined>();
      const finish = () => over.resolve(undefined);
      const cancel = clock.after(ms, finish);
      signal.addEventListener('abort', finish, { once: true });
      end = finish;
      await over.promise;
      cancel();
      signal.removeEventListener('abort', finish);
      end = () => undefined;
    },
  };
}
