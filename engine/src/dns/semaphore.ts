/** Bounds how many callers do something at once; the others wait in the order they came. */
export type Semaphore = {
  /** Waits for a place; the returned function gives it back. Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<() => void>;
};

export function createSemaphore(places: number): Semaphore {
  let taken = 0;
  // A Set keeps the order of arrival and forgets a caller that gave up without a search.
  const waiting = new Set<() => void>();

  /** Hands the place to the caller that has waited longest, or frees it. */
  function release(): void {
    const [next] = waiting;
    if (next === undefined) taken -= 1;
    else next();
  }

  /** Ends when a place is handed over, or when the signal fires: the caller looks which. */
  function placeOrAbort(signal: AbortSignal): Promise<'place' | 'aborted'> {
    return new Promise((resolve) => {
      const giveUp = () => {
        waiting.delete(admit);
        resolve('aborted');
      };
      const admit = () => {
        waiting.delete(admit);
        signal.removeEventListener('abort', giveUp);
        resolve('place');
      };
      waiting.add(admit);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  return {
    async acquire(signal) {
      signal.throwIfAborted();
      if (taken < places) taken += 1;
      else if ((await placeOrAbort(signal)) === 'aborted') signal.throwIfAborted();
      return once(release);
    },
  };
}

/** A place is given back once, however often its holder says so. */
function once(release: () => void): () => void {
  let held = true;
  return () => {
    if (held) release();
    held = false;
  };
}
