import type { Migration } from './migration.ts';

/** How many requests a minute the operator allows an account; null where it is as many as the setting says. */
export const rates: Migration = {
  version: 16,
  statements: ({ integer }) => [
    `alter table account add column requests_per_minute ${integer} check (requests_per_minute > 0)`,
  ],
};
