import type { StopSignal } from './stop.ts';

/**
 * How long a caller is prepared to wait: until `deadline` on the engine's clock, and only while
 * `signal` has not been aborted. Every function that waits takes one.
 */
export type Patience = {
  /** A point on the engine's clock, in milliseconds. */
  deadline: number;
  signal: StopSignal;
  /**
   * Aborted if the caller wants no further conversation begun for it. The wait then ends with the signal's reason,
   * unless a mail host has just been asked for the mailbox: that answer is still waited for.
   */
  withdrawn?: StopSignal;
};
