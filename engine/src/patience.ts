import type { Clock } from './clock.ts';
import { Stop, type StopSignal } from './stop.ts';

/**
 * How long a caller is prepared to wait: until `deadline` on the engine's clock, unless `signal` is aborted before.
 * Every function that waits takes one.
 */
export type Patience = {
  /** A point on the engine's clock, in milliseconds. */
  deadline: number;
  signal: StopSignal;
  /**
   * Aborted if the caller wants no further conversation begun for it. The wait then ends with the signal's reason,
   * unless a mail host has just been asked for the mailbox: that answer is still awaited.
   */
  withdrawn?: StopSignal;
};

/**
 * Waits for work that other callers may share: as long as this caller's patience lasts, and without ending the work.
 * Rejects with the signal's reason; past the deadline it gives `late`.
 */
export function waitFor<Value>(
  work: Promise<Value>,
  wait: {
    clock: Clock;
    patience: Patience;
    late: Value;
    /** Called once when this caller waits no longer, whatever it was given. */
    left?: () => void;
  },
): Promise<Value> {
  const { signal, deadline } = wait.patience;
  return new Promise((resolve, reject) => {
    let isOver = false;
    // Work without a deadline needs no timer.
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

/**
 * Abort signals of their own for many operations that one outer signal ends. A signal with a thousand listeners is
 * searched through at every step of each. Here each operation has a small signal, and a single listener on the outer
 * one passes its end on.
 */
export type OwnSignals = {
  /** Aborted from the start if the outer signal is; every `begin` needs an `end`. */
  begin(): Stop;
  end(own: Stop): void;
};

export function createOwnSignals(outer: StopSignal): OwnSignals {
  const underWay = new Set<Stop>();

  function passOn(): void {
    for (const own of underWay) own.abort(outer.reason);
  }

  return {
    begin() {
      const own = new Stop();
      if (outer.aborted) own.abort(outer.reason);
      else {
        if (underWay.size === 0) outer.addEventListener('abort', passOn);
        underWay.add(own);
      }
      return own;
    },
    end(own) {
      if (underWay.delete(own) && underWay.size === 0) outer.removeEventListener('abort', passOn);
    },
  };
}
