import type { Clock, Patience } from '@mailproof/engine';

/**
 * The time inside one sandbox verification. With delays it passes as usual. Without delays each wait is skipped,
 * but the clock still counts it, so that deadlines and timings read the same.
 */
export function createSandboxTime(clock: Clock, delays: boolean) {
  let jumpedMs = 0;
  return {
    clock: {
      now: () => clock.now() + jumpedMs,
      after: (ms, callback) => clock.after(ms, callback),
    } satisfies Clock,
    /** Waits, but not past the deadline, and not for a caller that has left. */
    async pass(ms: number, { deadline, signal }: Patience): Promise<void> {
      signal.throwIfAborted();
      const waitMs = Math.min(ms, Math.max(0, deadline - (clock.now() + jumpedMs)));
      if (delays) await wait(clock, waitMs, signal);
      else jumpedMs += waitMs;
    },
  };
}

function wait(clock: Clock, ms: number, signal: Patience['signal']): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    const onAbort = () => {
      cancel();
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
