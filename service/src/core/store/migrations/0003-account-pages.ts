import type { Migration } from './migration.ts';

/**
 * What the pages of an account show and stand on: sessions of browsers, names of keys, which key and which request
 * made a task. Of a session only the hash of its id is kept, so that whoever reads the table can use none of them.
 */
export const accountPages: Migration = {
  version: 3,
  statements: ({ integer, table }) => [
    `create table session (
      id_hash text primary key, key_id text references api_key (id), token_mark text,
      created_at ${integer} not null, expires_at ${integer} not null,
      check ((key_id is null) <> (token_mark is null))
    ) ${table}`,
    `create index session_key on session (key_id, created_at)`,
    `create index session_expiry on session (expires_at)`,
    `alter table api_key add column name text not null default ''`,
    `update api_key set name = case mode when 'live' then 'Live key' else 'Test key' end`,
    `alter table task add column key_id text`,
    `alter table task add column request_id text`,
    `create index task_by_time on task (account_id, created_at, id)`,
    `create index task_by_request on task (request_id)`,
  ],
};
