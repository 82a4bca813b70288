/** What a wait needs of an `AbortSignal`, which is one. */
export type StopSignal = Pick<AbortSignal, 'aborted' | 'reason'> & {
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
};

/**
 * A controller and its signal in one. Several are made for each address, and each has one or two listeners at a time: an
 * `AbortController`, built for events of every kind, costs more there than the waits that it ends.
 */
export class Stop implements StopSignal {
  aborted = false;
  reason: unknown = undefined;
  /** Never changed but replaced, so that one may leave while others are told. */
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
