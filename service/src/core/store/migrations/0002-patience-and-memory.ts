import type { Migration } from './migration.ts';

/**
 * What a completed task answers is kept ready beside it; what a deferring host said is kept with the address until
 * it is asked again; and what the engine has learnt of domains and mail hosts outlives the process.
 */
export const patienceAndMemory: Migration = {
  version: 2,
  statements: ({ integer, keyedTable }) => [
    `alter table task add column results text check (results is null or status = 'completed')`,
    `alter table item add column visited text check (visited is null or visits > 0)`,
    `create table engine_memory (
      kind text not null, key text not null, value text not null, expires_at ${integer} not null,
      primary key (kind, key)
    ) ${keyedTable}`,
    `create index engine_memory_expiry on engine_memory (expires_at)`,
  ],
};
