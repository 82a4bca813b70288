import type { Migration } from './migration.ts';

/**
 * A key sees the tasks of its own mode alone. Tasks of test keys are few and live for an hour, so an index over them
 * spares a test key the way past all live tasks of its account. Live tasks are not in it and cost nothing more.
 *
 * Tasks and lists have had their mode since they exist. Webhooks and publishable keys are made by live keys only.
 */
export const modes: Migration = {
  version: 21,
  statements: () => [
    `create index test_task_by_time on task (account_id, created_at, id) where mode = 'test' and list_id is null`,
  ],
};
