import type { Migration } from './migration.ts';

/**
 * The processes that work on a PostgreSQL database, each with its sign of life by the database's own clock (SQLite has
 * locked files instead); and down to which schema this one still serves programs (see migrate.ts).
 */
export const processes: Migration = {
  version: 5,
  statements: ({ integer, table }) => [
    `create table process (
      id text primary key, role text not null check (role in ('all', 'api', 'worker')),
      started_at ${integer} not null, seen_at ${integer} not null
    ) ${table}`,
    `alter table schema_version add column serves bigint not null default 5`,
  ],
};
