import type { Migration } from './migration.ts';

/**
 * What a key may be limited to: scopes, a time, networks, credits a day. All are null for a key without limits.
 *
 * `capped_credits` is what counts against `credits_per_day` on the day `capped_day`. A hold says which key opened it, and
 * on which day it was counted, so that what it releases goes back to the same day.
 */
export const keyLimits: Migration = {
  version: 14,
  statements: ({ integer }) => [
    `alter table api_key add column scopes text`,
    `alter table api_key add column expires_at ${integer}`,
    `alter table api_key add column allowed_ips text`,
    `alter table api_key add column credits_per_day ${integer} check (credits_per_day > 0)`,
    `alter table api_key add column capped_day ${integer} not null default 0`,
    `alter table api_key add column capped_credits ${integer} not null default 0 check (capped_credits >= 0)`,
    `alter table api_key add column last_used_day ${integer}`,
    `alter table hold add column key_id text`,
    `alter table hold add column capped_day ${integer}`,
  ],
};
