import type { CallOptions } from './ask.ts';
import type { ListRecord } from './types/list-types.ts';
import { MailproofError } from './mailproof-error.ts';
import type { Connection } from './request.ts';

export type WaitForListOptions = CallOptions & {
  /** Called with each look at the list, the last one included. */
  onProgress?: ((list: ListRecord) => void) | undefined;
};

type WaitParts = Pick<Connection, 'limits' | 'parts'> & { read: () => Promise<ListRecord> };

/**
 * Looks at a list until its run has ended, first often, then seldom. The run is the service's: while that cannot be
 * reached the list is waited for all the same, up to an hour.
 */
export async function waitForList(
  { onProgress, signal }: WaitForListOptions,
  { limits, parts, read }: WaitParts,
): Promise<ListRecord> {
  const until = parts.now() + limits.listMs;
  let waitMs = limits.pollFirstMs;
  let seenAt = parts.now();
  while (parts.now() < until) {
    const seen = await lookOnce(read);
    if (seen instanceof MailproofError) {
      if (parts.now() - seenAt > limits.outageMs) throw seen;
    } else {
      seenAt = parts.now();
      onProgress?.(seen);
      if (seen.state === 'completed' || seen.state === 'cancelled') return seen;
      // Nobody has started it: this would be waited for until it expires.
      if (seen.state === 'surveyed') throw new MailproofError('wrong_list_state');
    }
    await parts.wait(Math.round(waitMs * (0.9 + 0.2 * parts.random())), signal);
    waitMs = Math.min(waitMs * 1.5, limits.pollLongestMs);
  }
  throw new MailproofError('no_answer_in_time');
}

/** The list, or what kept it from being seen where that may pass. */
async function lookOnce(read: WaitParts['read']): Promise<ListRecord | MailproofError> {
  try {
    return await read();
  } catch (error) {
    const mayPass =
      error instanceof MailproofError &&
      (error.status === undefined || error.status >= 500 || error.reason === 'unexpected_answer');
    if (mayPass) return error;
    throw error;
  }
}
