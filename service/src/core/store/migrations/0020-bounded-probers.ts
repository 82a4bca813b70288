import type { Migration } from './migration.ts';

/**
 * What the operator allows a prober outside: the egress addresses that it may lease for, by its own names, and the share
 * of addresses that it may be asked about. A prober that is known already keeps the names that it has announced.
 *
 * `prober_history` says since when the installation has had probers, by kind. A row stays when they are removed: where
 * probers ask, an API or a worker never stands in for them.
 */
export const boundedProbers: Migration = {
  version: 20,
  statements: ({ integer, keyedTable }) => [
    `create table prober_egress (
      prober_id text not null, name text not null, primary key (prober_id, name)
    ) ${keyedTable}`,
    `insert into prober_egress (prober_id, name)
      select prober.id, substr(egress_address.name, length(prober.name) + 2)
      from egress_address join prober on prober.id = egress_address.owner
      where egress_address.kind = 'outside'`,
    `create table prober_history (
      kind text primary key check (kind in ('inside', 'outside')), first_at ${integer} not null
    ) ${keyedTable}`,
    `insert into prober_history (kind, first_at)
      select 'outside', min(at) from audit_log where action = 'prober_enrolled' having count(*) > 0`,
    `insert into prober_history (kind, first_at)
      select 'inside', min(started_at) from process where role = 'prober' having count(*) > 0`,
    `alter table prober add column share ${integer} not null default 100 check (share between 1 and 100)`,
    `alter table prober add column faults ${integer} not null default 0`,
    `alter table prober add column aside_at ${integer} not null default 0`,
    `alter table egress_address add column share ${integer} not null default 100`,
  ],
};
