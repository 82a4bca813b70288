/**
 * Waits for work that others may be waiting for too: as long as this caller's patience lasts, and
 * without ending the work. Rejects with the signal's reason; past the deadline it gives `late`.
 */
import type { Clock } from '../clock.ts';
import type { Patience } from '../patience.ts';

export async function waitFor<Value>(
  work: Promise<Value>,
  wait: { clock: Clock; patience: Patience; late: Value },
): Promise<Value> {
  const { signal, deadline } = wait.patience;
  let stop: (() => void) | undefined;
  const patienceEnds = new Promise<Value>((resolve) => {
    const end = () => resolve(wait.late);
    const cancel = wait.clock.after(deadline - wait.clock.now(), end);
    signal.addEventListener('abort', end, { once: true });
    stop = () => {
      cancel();
      signal.removeEventListener('abort', end);
    };
  });
  try {
    const value = await Promise.race([work, patienceEnds]);
    signal.throwIfAborted();
    return value;
  } finally {
    stop?.();
  }
}
