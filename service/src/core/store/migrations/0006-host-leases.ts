import type { Migration } from './migration.ts';

/**
 * What several processes share beyond the books: which of them may talk to a mail host (a host lease; its table
 * is called `turn`), and what each has learnt since the others last looked.
 */
export const hostLeases: Migration = {
  version: 6,
  statements: ({ integer, keyedTable }) => [
    `create table turn (
      key text primary key, holder text not null, granted_at ${integer} not null, held_until ${integer} not null,
      wanted_by text, saved_at ${integer} not null, state text not null
    ) ${keyedTable}`,
    `alter table engine_memory add column written_at ${integer} not null default 0`,
    `alter table engine_memory add column writer text not null default ''`,
    `create index engine_memory_news on engine_memory (written_at)`,
  ],
};
