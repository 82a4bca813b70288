import type { Migration } from './migration.ts';

/**
 * What keeps one account's webhooks from costing others: `webhook.timed_out_at` says that the last attempt timed out, so
 * that further ones wait in places of their own; `account.webhook_sends_at` is up to when the account's test messages
 * and repeated messages are accounted for. Test messages are erased early, and found by an index of their own.
 */
export const fairWebhooks: Migration = {
  version: 22,
  statements: ({ integer }) => [
    `alter table webhook add column timed_out_at ${integer}`,
    `alter table account add column webhook_sends_at ${integer} not null default 0`,
    `create index webhook_test_expiry on webhook_delivery (ended_at)
      where type = 'webhook.test' and state <> 'pending'`,
  ],
};
