import type { Clock } from '@mailproof/engine';
import { createCellRates, type CellRate } from '../../process/cell-rates.ts';

/**
 * How many requests a minute an account, and each of its keys, may send; off unless a setting or the operator says so.
 * Each process counts for itself, in memory: with n processes an account gets through up to n times as often. Only whoever
 * sends too much is refused, and a refusal costs the store nothing.
 *
 * A whole minute's worth may come at once, then one more becomes free every q-th part of the minute (see cell-rates.ts).
 */
export type RateLimits = { take(request: RateRequest): RateAnswer };

type RateRequest = {
  /** The account, its live keys apart from its test keys. */
  asker: string;
  /** The key, or the person. */
  actor: string;
  /** What the operator allows the account, where that is not what the setting says. */
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
/** Parts of a minute do not add up to it exactly. */
const roundingMs = 0.001;

const free: RateAnswer = { kind: 'free' };

type Policy = { name: 'account' | 'key'; place: string; quota: number };

/** Where a policy stands before the request: `until` is when its whole quota is free again. */
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
    // Where nothing is left it is the same moment as that of `Retry-After`.
    const resetMs = waitMs > roundingMs ? waitMs : until - now;
    return `"${name}";r=${left};t=${Math.ceil(resetMs / 1_000)}`;
  });
  return {
    'ratelimit-policy': standings.map(({ name, quota }) => `"${name}";q=${quota};w=60`).join(', '),
    ratelimit: rates.join(', '),
  };
}
