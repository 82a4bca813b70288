import type { Clock } from '@mailproof/engine';
import { createCellRates, type CellRate } from '../../process/cell-rates.ts';

/**
 * Limits the requests per minute of an account, and of each of its keys; off unless a setting or the operator
 * enables it. Each process counts for itself, in memory: with n processes an account can send up to n times as
 * much. Only an account over its limit is refused, and a refusal costs the store nothing.
 *
 * The burst is a whole minute's quota q; then one more request becomes free every q-th part of the minute (see
 * cell-rates.ts).
 */
export type RateLimits = { take(request: RateRequest): RateAnswer };

type RateRequest = {
  /** The account; its live keys and its test keys count separately. */
  asker: string;
  /** The key, or the person. */
  actor: string;
  /** The operator's limit for the account, if it differs from the setting. */
  requestsPerMinute: number | undefined;
};

type RateAnswer =
  /** No rate applies. */
  | { kind: 'free' }
  | { kind: 'taken'; fields: RateFields }
  /** Nothing was counted. */
  | { kind: 'refused'; fields: RateFields; retryAfterSeconds: number };

/** The response fields of draft-ietf-httpapi-ratelimit-headers (revision 10 and later). */
type RateFields = { 'ratelimit-policy': string; ratelimit: string };

type RateLimitsParts = {
  clock: Pick<Clock, 'now'>;
  ratePerAccount: number | undefined;
  ratePerKey: number | undefined;
};

const windowMs = 60_000;
const mostPlaces = 20_000;
/** Tolerance for rounding: the parts of a minute do not add up to it exactly. */
const roundingMs = 0.001;

const free: RateAnswer = { kind: 'free' };

type Policy = { name: 'account' | 'key'; place: string; quota: number };

/** The state of a policy before the request: `until` is when its whole quota is free again. */
type Standing = Policy & { until: number; waitMs: number };

export function createRateLimits({ clock, ratePerAccount, ratePerKey }: RateLimitsParts): RateLimits {
  const rates = createCellRates({ clock, mostNames: mostPlaces });

  return {
    take({ asker, actor, requestsPerMinute = ratePerAccount }) {
      if (requestsPerMinute === undefined && ratePerKey === undefined) return free;
      const policies: Policy[] = [];
      if (requestsPerMinute !== undefined)
        policies.push({ name: 'account', place: asker, quota: requestsPerMinute });
      if (ratePerKey !== undefined) policies.push({ name: 'key', place: actor, quota: ratePerKey });

      const now = clock.now();
      const standings = policies.map((policy) => ({
        ...policy,
        ...rates.look(policy.place, rateOf(policy), now),
      }));
      const waitMs = Math.max(...standings.map((one) => one.waitMs));
      if (waitMs > roundingMs) {
        const retryAfterSeconds = Math.ceil(waitMs / 1_000);
        return { kind: 'refused', fields: fieldsOf(standings, now), retryAfterSeconds };
      }
      const after = standings.map((one) => ({ ...one, until: rates.take(one.place, rateOf(one), now) }));
      return { kind: 'taken', fields: fieldsOf(after, now) };
    },
  };
}

function rateOf({ quota }: Policy): CellRate {
  return { intervalMs: windowMs / quota, atOnce: quota };
}

function fieldsOf(standings: Standing[], now: number): RateFields {
  const rates = standings.map(({ name, quota, until, waitMs }) => {
    const left = Math.max(0, Math.floor(((windowMs - (until - now) + roundingMs) * quota) / windowMs));
    // If nothing is left, this is the same moment as `Retry-After`.
    const resetMs = waitMs > roundingMs ? waitMs : until - now;
    return `"${name}";r=${left};t=${Math.ceil(resetMs / 1_000)}`;
  });
  return {
    'ratelimit-policy': standings.map(({ name, quota }) => `"${name}";q=${quota};w=60`).join(', '),
    ratelimit: rates.join(', '),
  };
}
