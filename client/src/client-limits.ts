/** Every wait of the client and every number of tries, in one place. */
export type ClientLimits = {
  /** How long one attempt of a request may take, its body included. */
  attemptMs: number;
  /** The same for a file that is uploaded: sent, and looked through by the service. */
  uploadMs: number;
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
  /** How long a list is waited for in all; the service ends every run within a day, unless it is paused. */
  listMs: number;
  /** How long a list is waited for while the service cannot be reached. */
  outageMs: number;
};

export const clientLimits: ClientLimits = {
  attemptMs: 60_000,
  uploadMs: 1_800_000,
  attempts: 10,
  retryFirstMs: 500,
  retryLongestMs: 30_000,
  retryAfterLongestMs: 120_000,
  pollFirstMs: 100,
  pollLongestMs: 5_000,
  taskMs: 7_200_000,
  listMs: 604_800_000,
  outageMs: 3_600_000,
};
