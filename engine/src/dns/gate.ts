/** Lets a bounded number of callers in at a time; the others wait in the order they came. */
export type Gate = {
  /** Waits for a place; the returned function gives it back. Rejects with the signal's reason. */
  enter(signal: AbortSignal): Promise<() => void>;
};

export function createGate(places: number): Gate {
  let taken = 0;
  // A Set keeps the order of arrival and forgets one that gave up without a search.
  const waiting = new Set<() => void>();

  /** Hands the place to the next in line, or back to the gate. */
  function leave(): void {
    const [next] = waiting;
    if (next === undefined) taken -= 1;
    else next();
  }

  /** Ends when a place is handed over, or when the signal fires: the caller looks which. */
  function turnOrAbort(signal: AbortSignal): Promise<'turn' | 'aborted'> {
    return new Promise((resolve) => {
      const giveUp = () => {
        waiting.delete(admit);
        resolve('aborted');
      };
      const admit = () => {
        waiting.delete(admit);
        signal.removeEventListener('abort', giveUp);
        resolve('turn');
      };
      waiting.add(admit);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  return {
    async enter(signal) {
      signal.throwIfAborted();
      if (taken < places) taken += 1;
      else if ((await turnOrAbort(signal)) === 'aborted') signal.throwIfAborted();
      return once(leave);
    },
  };
}

/** A place is given back once, however often its holder says so. */
function once(leave: () => void): () => void {
  let held = true;
  return () => {
    if (held) leave();
    held = false;
  };
}
