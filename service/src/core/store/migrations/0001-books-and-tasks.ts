import type { Migration } from './migration.ts';
import type { SchemaWords } from '../dialect.ts';

/**
 * The first schema. What may never be false is written into the tables themselves, so that a defect
 * of ours ends in a refused write and not in wrong books:
 *
 * - an account's four figures balance and none is negative (I1);
 * - a hold is settled once and in full (I4), an entry is never changed or deleted and has its own
 *   number and its own `op` (I10);
 * - an answered item and a completed task do not change (I7), a fence only grows (I8).
 */
export const booksAndTasks: Migration = {
  version: 1,
  statements: (words) => [...words.firstly, ...books(words), ...tasks(words), ...guards(words)],
};

const mostCredits = 1_000_000_000_000;

function books({ integer, table, keyedTable }: SchemaWords): string[] {
  const figure = (name: string) => `${name} ${integer} not null check (${name} between 0 and ${mostCredits})`;
  return [
    `create table account (
      id text primary key, name text not null, plan text not null check (plan in ('paid', 'none')),
      ${figure('granted')}, ${figure('available')}, ${figure('reserved')}, ${figure('spent')},
      entries ${integer} not null check (entries >= 0), touched_at ${integer} not null,
      frozen_at ${integer}, created_at ${integer} not null,
      check (granted = available + reserved + spent)
    ) ${table}`,
    `create table api_key (
      id text primary key, account_id text not null references account (id),
      mode text not null check (mode in ('live', 'test')), secret_hash text not null, last4 text not null,
      created_at ${integer} not null, deleted_at ${integer}
    ) ${table}`,
    `create index api_key_account on api_key (account_id)`,
    `create table hold (
      account_id text not null references account (id), id text not null,
      credits ${integer} not null check (credits between 1 and ${mostCredits}),
      state text not null check (state in ('open', 'settled')),
      charged ${integer} not null check (charged >= 0), released ${integer} not null check (released >= 0),
      owner text, opened_at ${integer} not null, expires_at ${integer},
      primary key (account_id, id),
      check ((state = 'open' and charged = 0 and released = 0)
          or (state = 'settled' and charged + released = credits))
    ) ${keyedTable}`,
    `create index open_hold on hold (account_id, expires_at) where state = 'open'`,
    `create table entry (
      account_id text not null references account (id), number ${integer} not null check (number >= 1),
      kind text not null check (kind in ('grant', 'reserve', 'charge', 'release')),
      credits ${integer} not null check (credits between 1 and ${mostCredits}),
      op text not null unique, hold_id text, at ${integer} not null,
      primary key (account_id, number), foreign key (account_id, hold_id) references hold (account_id, id),
      check ((kind = 'grant') = (hold_id is null))
    ) ${keyedTable}`,
    `create table idempotency (
      account_id text not null references account (id), request_key text not null,
      endpoint text not null check (endpoint in ('verification', 'task')), body_hash text not null,
      attempt text not null, state text not null check (state in ('in_progress', 'finished')),
      answer text, owner text, expires_at ${integer} not null,
      primary key (account_id, request_key), check ((state = 'finished') = (answer is not null))
    ) ${keyedTable}`,
    `create index idempotency_expiry on idempotency (expires_at)`,
  ];
}

function tasks({ integer, table, keyedTable }: SchemaWords): string[] {
  return [
    `create table task (
      id text primary key, account_id text not null references account (id),
      mode text not null check (mode in ('live', 'test')), name text not null,
      status text not null check (status in ('waiting', 'running', 'completed')),
      total ${integer} not null check (total between 0 and 100),
      checked ${integer} not null check (checked between 0 and total),
      hold_id text, fence ${integer} not null check (fence >= 0), lease_owner text,
      lease_until ${integer} not null, next_at ${integer} not null, deadline_at ${integer} not null,
      created_at ${integer} not null, completed_at ${integer}, expires_at ${integer},
      foreign key (account_id, hold_id) references hold (account_id, id),
      check ((status = 'completed') = (completed_at is not null)), check (status <> 'completed' or checked = total)
    ) ${table}`,
    `create index task_account on task (account_id, id)`,
    `create index unfinished_task on task (account_id, next_at, id) where status <> 'completed'`,
    `create index expiring_task on task (expires_at) where status = 'completed'`,
    `create table item (
      task_id text not null references task (id), position ${integer} not null check (position between 0 and 99),
      email text not null, state text not null check (state in ('pending', 'done')),
      attempts ${integer} not null check (attempts between 0 and 3), visits ${integer} not null check (visits >= 0),
      next_at ${integer} not null, conclusive ${integer} not null check (conclusive in (0, 1)),
      verdict text, explanation text,
      primary key (task_id, position), check ((state = 'done') = (verdict is not null)),
      check (state = 'done' or conclusive = 0)
    ) ${keyedTable}`,
  ];
}

function guards({ refuse }: SchemaWords): string[] {
  return [
    refuse({
      name: 'entry_unchanged',
      event: 'update',
      table: 'entry',
      saying: 'a ledger entry is never changed',
    }),
    refuse({
      name: 'entry_kept',
      event: 'delete',
      table: 'entry',
      saying: 'a ledger entry is never deleted',
    }),
    refuse({
      name: 'hold_settled_once',
      event: 'update',
      table: 'hold',
      when: `old.state = 'settled'`,
      saying: 'a settled hold is never changed',
    }),
    refuse({ name: 'hold_kept', event: 'delete', table: 'hold', saying: 'a hold is never deleted' }),
    refuse({
      name: 'item_answered_once',
      event: 'update',
      table: 'item',
      when: `old.state = 'done'`,
      saying: 'an answered item is never changed',
    }),
    refuse({
      name: 'task_completed_once',
      event: 'update',
      table: 'task',
      when: `old.status = 'completed'`,
      saying: 'a completed task is never changed',
    }),
    refuse({
      name: 'task_goes_forward',
      event: 'update',
      table: 'task',
      when: `new.fence < old.fence or (old.status = 'running' and new.status = 'waiting')`,
      saying: 'a task never goes back',
    }),
  ];
}
