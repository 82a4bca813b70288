import type { Migration } from './migration.ts';

/**
 * Probers outside the installation, and the probes that processes hand to whoever owns an egress address. A probe is
 * there from the asking until the asker has taken its evidence, or until its deadline; see probers/probe-exchange.ts
 * for its states.
 */
export const probers: Migration = {
  version: 10,
  statements: ({ integer, table }) => [
    `create table prober (
      id text primary key, name text not null unique, token_hash text, token_until ${integer} not null,
      secret_hash text, tag_key text not null, created_at ${integer} not null, enrolled_at ${integer},
      instance text not null default '', seen_at ${integer} not null default 0, seen text not null default '{}',
      answered ${integer} not null default 0, unknown ${integer} not null default 0,
      controlled_at ${integer} not null default 0, controls_right ${integer} not null default 0, why_not text
    ) ${table}`,
    `create table probe (
      id text primary key, asker text not null, egress text not null,
      urgency ${integer} not null check (urgency in (0, 1)), tag text not null, question text not null,
      asked_at ${integer} not null, deadline_at ${integer} not null,
      state text not null default 'waiting' check (state in ('waiting', 'leased', 'answered')),
      holder text not null default '', lease text not null default '', fence ${integer} not null default 0,
      lease_until ${integer} not null default 0, evidence text
    ) ${table}`,
    `create index probe_asked on probe (egress, urgency, id) where state <> 'answered'`,
    `create index probe_leased on probe (holder, lease) where state = 'leased'`,
    `create index probe_answered on probe (asker) where state = 'answered'`,
    `create index probe_deadline on probe (deadline_at)`,
  ],
};
