import type { Migration } from './migration.ts';
import type { SchemaWords } from '../dialect.ts';

/**
 * Lists: the file in pieces, one row for each of its rows, and how the answers were spread. A list runs as tasks of its
 * own (`task.list_id`), whose addresses say which row they are (`item.list_row`).
 *
 * What may never be false is held here too: the rows of a surveyed list are counted in full, no more is checked than
 * was wanted, no more is charged than was checked, and an answered row does not change.
 */
export const lists: Migration = {
  version: 7,
  statements: (words) => [...tables(words), ...indexes, ...guards(words)],
};

function tables({ integer, bytes, table, keyedTable }: SchemaWords): string[] {
  const count = (name: string) => `${name} ${integer} not null default 0 check (${name} >= 0)`;
  return [
    `create table list (
      id text primary key, account_id text not null references account (id),
      mode text not null check (mode in ('live', 'test')), name text not null,
      state text not null check (state in
        ('receiving', 'surveyed', 'running', 'paused', 'completed', 'cancelled', 'deleted')),
      file_bytes ${integer} not null default 0, valid_utf8 ${integer} not null default 1,
      plan text, split ${integer} not null default 0,
      ${count('rows')}, ${count('addresses')}, ${count('duplicates')}, ${count('blank')}, ${count('rejected')},
      ${count('repaired')}, ${count('wanted')}, ${count('planned')}, ${count('checked')}, ${count('conclusive')},
      ${count('waiting')}, last_row ${integer} not null default 0,
      cursor_host text not null default '', cursor_row ${integer} not null default 0, next_due ${integer},
      hold_id text, owner text, key_id text, request_id text,
      created_at ${integer} not null, started_at ${integer}, ended_at ${integer}, deadline_at ${integer},
      expires_at ${integer} not null,
      foreign key (account_id, hold_id) references hold (account_id, id),
      check (state = 'receiving' or rows = addresses + duplicates + blank + rejected),
      check (wanted <= addresses), check (planned <= wanted), check (checked <= planned), check (conclusive <= checked)
    ) ${table}`,
    `create table list_piece (
      list_id text not null references list (id), number ${integer} not null, bytes ${bytes} not null,
      primary key (list_id, number)
    ) ${keyedTable}`,
    `create table list_row (
      list_id text not null references list (id), row ${integer} not null check (row >= 1),
      kind text not null check (kind in ('address', 'duplicate', 'rejected', 'blank')),
      email text, host text, same_as ${integer}, repaired text, fault text,
      status text, score ${integer}, safe ${integer}, deliverable ${integer}, reason text, provider text,
      explanation text, next_at ${integer}, visits ${integer} not null default 0, visited text,
      primary key (list_id, row), check ((kind = 'duplicate') = (same_as is not null)),
      check (kind = 'address' or status is null), check (status is null or next_at is null)
    ) ${keyedTable}`,
    `create table list_count (
      list_id text not null references list (id), status text not null, provider text not null,
      ${count('addresses')}, primary key (list_id, status, provider)
    ) ${keyedTable}`,
    `alter table task add column list_id text references list (id)`,
    `alter table item add column list_row ${integer}`,
  ];
}

const indexes = [
  `create index list_account on list (account_id, created_at, id)`,
  `create index list_at_work on list (state) where state in ('receiving', 'running', 'deleted')`,
  `create index list_expiry on list (expires_at)`,
  `create index list_row_order on list_row (list_id, host, row) where kind = 'address'`,
  `create index list_row_waiting on list_row (list_id, next_at) where next_at is not null`,
  `create index task_list on task (list_id) where list_id is not null`,
];

function guards({ refuse }: SchemaWords): string[] {
  return [
    refuse({
      name: 'list_row_answered_once',
      event: 'update',
      table: 'list_row',
      when: `old.status is not null`,
      saying: 'an answered row of a list is never changed',
    }),
    refuse({
      name: 'list_ended_once',
      event: 'update',
      table: 'list',
      when: `old.state in ('completed', 'cancelled') and new.state not in ('deleted', old.state)`,
      saying: 'a list that has ended does not go on',
    }),
  ];
}
