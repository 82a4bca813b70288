import type { Clock } from './clock.ts';

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

/** The part of an `AbortSignal` that a wait needs. */
export type StopSignal = Pick<AbortSignal, 'aborted' | 'reason'> & {
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
};

/**
 * A controller and its signal in one. Several are made for each address, and each has one or two listeners at a time.
 * An `AbortController` is built for events of every kind, and costs more than the waits that it ends.
 */
export class Stop implements StopSignal {
  aborted = false;
  reason: unknown = undefined;
  /** Replaced and never changed, so that a listener may leave while others are told. */
  private listeners: readonly (() => void)[] = nobody;

  get signal(): StopSignal {
    return this;
  }

  /** Tells all listeners, the first time that it is called. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.listeners) if (this.listeners.includes(listener)) listener();
    this.listeners = nobody;
  }

  throwIfAborted(): void {
    // The reason of an abort is whatever its owner gave; callers expect exactly that.
    if (this.aborted) throw this.reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.listeners.length === 0) this.listeners = [listener];
    else if (!this.listeners.includes(listener)) this.listeners = [...this.listeners, listener];
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const { listeners } = this;
    if (listeners.length === 1 && listeners[0] === listener) this.listeners = nobody;
    else if (listeners.length > 0) this.listeners = listeners.filter((other) => other !== listener);
  }
}

const nobody: readonly never[] = [];
