import type { Migration } from './migration.ts';
import type { SchemaWords } from '../dialect.ts';

/**
 * What keeps the cost of everyday work the same however much the store holds: how far each ledger has been audited, and
 * indexes that lead to what is due, free, open or new without passing by the rest.
 *
 * `unfinished_task` stays: those who count what is not completed follow it.
 */
export const growth: Migration = {
  version: 11,
  statements: (words) => [...auditMarks(words), ...indexes],
};

function auditMarks({ integer, table }: SchemaWords): string[] {
  return [
    `create table audit_mark (
      account_id text primary key references account (id), entries ${integer} not null check (entries >= 0),
      granted ${integer} not null, available ${integer} not null,
      reserved ${integer} not null, spent ${integer} not null,
      accepted_gap ${integer} not null, balanced_entries ${integer} not null, balanced_at ${integer},
      audited_at ${integer} not null
    ) ${table}`,
  ];
}

const indexes = [
  // A hold is in one of these two while it is open, as it was in the one that they replace.
  `drop index open_hold`,
  `create index open_task_hold on hold (account_id, id, credits) where state = 'open' and expires_at is null`,
  `create index open_single_hold on hold (expires_at, account_id, credits, owner)
    where state = 'open' and expires_at is not null`,
  // By account, the one by time has them in an order that serves pages and audits alike.
  `drop index task_account`,
  `create index free_task on task (mode, next_at, id) where status <> 'completed' and lease_until = 0`,
  `create index free_task_of_account on task (mode, account_id, next_at, id)
    where status <> 'completed' and lease_until = 0`,
  `create index leased_task on task (mode, account_id, lease_until) where lease_until > 0`,
  `create index task_deadline on task (deadline_at) where status <> 'completed' and list_id is null`,
  `create index account_by_time on account (created_at, id)`,
];
