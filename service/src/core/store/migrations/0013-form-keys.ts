import type { Migration } from './migration.ts';

/**
 * Keys that stand in web pages. They are no secret and are kept as they are; what they may do is bounded by the pages
 * they may be used from, and by how many checks a day they are good for.
 */
export const formKeys: Migration = {
  version: 13,
  statements: ({ integer, table, keyedTable }) => [
    `create table form_key (
      id text not null primary key, account_id text not null references account (id),
      name text not null, origins text not null,
      checks_per_day ${integer} not null check (checks_per_day > 0),
      checks_per_visitor ${integer} not null check (checks_per_visitor > 0),
      created_at ${integer} not null, deleted_at ${integer}
    ) ${table}`,
    `create index form_key_account on form_key (account_id)`,
    `create table form_use (
      key_id text not null, day ${integer} not null, checks ${integer} not null check (checks > 0),
      primary key (key_id, day)
    ) ${keyedTable}`,
  ],
};
