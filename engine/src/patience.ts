/**
 * How long a caller is prepared to wait: until `deadline` on the engine's clock, and only while
 * `signal` has not been aborted. Every function that waits takes one.
 */
export type Patience = {
  /** A point on the engine's clock, in milliseconds. */
  deadline: number;
  signal: AbortSignal;
};
