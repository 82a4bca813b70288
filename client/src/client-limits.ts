/** Every wait of the client and every number of tries, in one place. */
export type ClientLimits = {
  /** How long one attempt of a request may take, its body included. */
  attemptMs: number;
  /** Attempts of one request, the first included. */
  attempts: number;
  /** Wait before the second attempt; it doubles with each, up to the longest. Half of it is left to chance. */
  retryFirstMs: number;
  retryLongestMs: number;
  /** The longest `Retry-After` that is heeded in full. */
  retryAfterLongestMs: number;
  /** Wait before the first look at a task; it grows by half with each, up to the longest. */
  pollFirstMs: number;
  pollLongestMs: number;
  /** How long a task is waited for in all. The service completes every task within its own deadline. */
  taskMs: number;
};

export const clientLimits: ClientLimits = {
  attemptMs: 60_000,
  attempts: 10,
  retryFirstMs: 500,
  retryLongestMs: 30_000,
  retryAfterLongestMs: 120_000,
  pollFirstMs: 100,
  pollLongestMs: 5_000,
  taskMs: 7_200_000,
};
