/**
 * Waits for work that others may be waiting for too: as long as this caller's patience lasts, and
 * without ending the work. Rejects with the signal's reason; past the deadline it gives `late`.
 */
import type { Clock } from '../clock.ts';
import type { Patience } from '../patience.ts';

export function waitFor<Value>(
  work: Promise<Value>,
  wait: {
    clock: Clock;
    patience: Patience;
    late: Value;
    /** Told once that this caller waits no longer, whatever it was given. */
    left?: () => void;
  },
): Promise<Value> {
  const { signal, deadline } = wait.patience;
  return new Promise((resolve, reject) => {
    let isOver = false;
    // Work that ends by itself in time needs nobody to look at the clock.
    const cancelTimer =
      deadline === Infinity ? undefined : wait.clock.after(deadline - wait.clock.now(), () => end(wait.late));
    signal.addEventListener('abort', abort);
    work.then(end, () => {
      stop();
      // Fails as the work did.
      resolve(work);
    });

    function stop(): void {
      cancelTimer?.();
      signal.removeEventListener('abort', abort);
      if (isOver) return;
      isOver = true;
      wait.left?.();
    }
    function end(value: Value): void {
      stop();
      if (signal.aborted) abort();
      else resolve(value);
    }
    function abort(): void {
      stop();
      // The reason of an abort is whatever its owner gave; callers expect exactly that.
      reject(signal.reason as Error);
    }
  });
}
