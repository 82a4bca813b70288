import type { Migration } from './migration.ts';

/**
 * Webhooks: the endpoints of an account, and one delivery for each event that an endpoint wants. A delivery is written in
 * the transaction that makes its event true (an outbox), so that no event is lost and none is told that never happened.
 *
 * `account.wanted_events` sums up what the endpoints that are on want, so that the statements which move credits and
 * complete tasks learn with what they read anyway that nobody wants to hear of it.
 */
export const webhooks: Migration = {
  version: 12,
  statements: ({ integer, table, refuse }) => [
    `create table webhook (
      id text primary key, account_id text not null references account (id), url text not null,
      events text not null, credits_low_at ${integer} check (credits_low_at > 0),
      enabled ${integer} not null check (enabled in (0, 1)), secret text not null,
      previous_secret text, previous_until ${integer}, low_told_at ${integer}, failing_since ${integer},
      disabled_at ${integer}, disabled_because text check (disabled_because in ('owner', 'gone', 'failing')),
      created_at ${integer} not null, deleted_at ${integer},
      check ((enabled = 1) = (disabled_at is null)), check ((disabled_at is null) = (disabled_because is null)),
      check ((previous_secret is null) = (previous_until is null))
    ) ${table}`,
    `create index webhook_account on webhook (account_id)`,
    `create index webhook_deleted on webhook (deleted_at) where deleted_at is not null`,
    `create table webhook_delivery (
      id text primary key, webhook_id text not null references webhook (id), event_id text not null,
      type text not null, body text not null,
      state text not null check (state in ('pending', 'delivered', 'failed')),
      attempts ${integer} not null check (attempts between 0 and 10), attempt_log text not null, response text,
      next_at ${integer} not null, fence ${integer} not null check (fence >= 0), lease_owner text,
      lease_until ${integer} not null, created_at ${integer} not null, ended_at ${integer},
      check ((state = 'pending') = (ended_at is null))
    ) ${table}`,
    `create index webhook_delivery_page on webhook_delivery (webhook_id, id)`,
    `create index webhook_delivery_due on webhook_delivery (webhook_id, next_at) where state = 'pending'`,
    `create index webhook_delivery_expiry on webhook_delivery (ended_at) where state <> 'pending'`,
    refuse({
      name: 'webhook_delivery_ended_once',
      event: 'update',
      table: 'webhook_delivery',
      when: `old.state <> 'pending' or new.fence < old.fence`,
      saying: 'a delivery that has ended is never changed, and its fence never goes back',
    }),
    `alter table account add column wanted_events text`,
  ],
};
