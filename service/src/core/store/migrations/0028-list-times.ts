import type { Migration } from './migration.ts';

/** How long a list is expected to take, as it was estimated when it was surveyed. */
export const listTimes: Migration = {
  version: 28,
  statements: ({ integer }) => [`alter table list add column expected_seconds ${integer}`],
};
