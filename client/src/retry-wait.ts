import type { ClientLimits } from './client-limits.ts';
import type { ClientParts } from './client-parts.ts';

type Refused = {
  /** Attempts made so far, at least 1. */
  attempt: number;
  /** The header `Retry-After`, seconds or a date (RFC 9110 section 10.2.3). */
  retryAfter: string | null;
};

/**
 * How long to wait before the next attempt. Never shorter than the service asked for, within reason, and never
 * the same for everybody: clients that were refused together would come back together.
 */
export function retryWaitMs(
  { attempt, retryAfter }: Refused,
  limits: ClientLimits,
  { random, now }: Pick<ClientParts, 'random' | 'now'>,
): number {
  const grown = Math.min(limits.retryFirstMs * 2 ** (attempt - 1), limits.retryLongestMs);
  const asked = Math.min(askedMs(retryAfter, now()), limits.retryAfterLongestMs);
  const spread = grown * random();
  return Math.round(asked > 0 ? asked + spread / 2 : grown / 2 + spread / 2);
}

function askedMs(retryAfter: string | null, now: number): number {
  if (retryAfter === null) return 0;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const date = retryAfter.endsWith(' GMT') ? Date.parse(retryAfter) : NaN;
  return Number.isNaN(date) ? 0 : Math.max(date - now, 0);
}
