import type { Generated } from 'kysely';
import type { KeyTables } from './tables/key-tables.ts';
import type { TaskTables } from './tables/task-tables.ts';

/**
 * The tables as the queries see them. `migrations/` creates them, with the checks, keys and triggers that keep them
 * consistent. Times are milliseconds since the epoch, flags 0 or 1, credits integers.
 *
 * The addresses of people who sign in are in `person` and `invitation`. Verified addresses are in
 * `waiting_addresses`, `item`, the results of `task`, `list_piece`, `list_row`, the answers of `idempotency`, and
 * `probe`. They are nowhere else, and all are erased when their retention ends. The ledger (`account`, `hold`,
 * `entry`) keeps counts only.
 *
 * A feature declares its own tables beside its code (`*-tables.ts`), by adding to this interface.
 */
export interface Schema extends KeyTables, TaskTables {
  account: {
    id: string;
    name: string;
    plan: 'paid' | 'none';
    granted: number;
    available: number;
    reserved: number;
    spent: number;
    /** The number of the account's last ledger entry; numbers have no gaps. */
    entries: number;
    touched_at: number;
    /** Set if the books do not balance: nothing more is reserved. */
    frozen_at: number | null;
    created_at: number;
    /** The events that its webhooks want, in JSON (see webhooks/wanted-events.ts); null if there are none. */
    wanted_events: Generated<string | null>;
    /** The operator's limit; null: the limit of the setting. */
    requests_per_minute: Generated<number | null>;
    /** Up to when its test messages and repeated webhook messages are accounted for (see webhooks/change-webhook.ts). */
    webhook_sends_at: Generated<number>;
  };
  hold: {
    account_id: string;
    id: string;
    credits: number;
    state: 'open' | 'settled';
    charged: number;
    released: number;
    /** The process that serves the request; null if the hold belongs to a task. */
    owner: string | null;
    opened_at: number;
    /** When the sweep gives it back; null if the hold belongs to a task. */
    expires_at: number | null;
    /** The key that opened it; null for holds from before keys were recorded. */
    key_id: Generated<string | null>;
    /** The day on which the key's cap counted it; null if the key had no cap. */
    capped_day: Generated<number | null>;
  };
  entry: {
    account_id: string;
    number: number;
    kind: 'grant' | 'reserve' | 'charge' | 'release';
    credits: number;
    /** The name of the operation, unique among all entries. */
    op: string;
    hold_id: string | null;
    at: number;
  };
  /** Credits in open holds of tasks and lists; the database adds them up itself (see 0019-open-holds.ts). */
  open_task_credits: { account_id: string; credits: number };
  /** How far the service has audited an account's ledger, and the sums of the entries up to there. */
  audit_mark: {
    account_id: string;
    /** The number of the last audited entry. */
    entries: number;
    granted: number;
    available: number;
    reserved: number;
    spent: number;
    /** Credits that are reserved without an open hold, as the operator accepted them when the account was unfrozen. */
    accepted_gap: number;
    /** The last entry, and the time, at which the books balanced; null before the first time. */
    balanced_entries: number;
    balanced_at: number | null;
    audited_at: number;
  };
  idempotency: {
    account_id: string;
    request_key: string;
    endpoint: 'verification' | 'task';
    body_hash: string;
    /** The attempt that holds the key, so that a late one cannot answer for another. */
    attempt: string;
    state: 'in_progress' | 'finished';
    answer: string | null;
    owner: string | null;
    expires_at: number;
  };
  /** The engine's knowledge of domains, mail hosts and routes. Never an address. */
  engine_memory: {
    kind: string;
    key: string;
    value: string;
    expires_at: number;
    written_at: Generated<number>;
    /** The process that wrote it last. */
    writer: Generated<string>;
  };
  /** The append-only log of changes and their actors. Never a key, a token or an address. */
  audit_log: {
    /** Counted up by the database; there may be gaps. */
    number: Generated<number>;
    at: number;
    actor: string;
    action:
      | 'account_created'
      | 'plan_set'
      | 'rate_set'
      | 'credits_granted'
      | 'rest_ended'
      | 'account_frozen'
      | 'account_unfrozen'
      | 'key_created'
      | 'key_renamed'
      | 'backed_up'
      | 'key_changed'
      | 'key_deleted'
      | 'prober_added'
      | 'prober_enrolled'
      | 'prober_removed'
      | 'form_key_created'
      | 'form_key_deleted'
      | 'operator_signed_in'
      | 'person_invited'
      | 'invitation_withdrawn'
      | 'person_joined'
      | 'person_signed_in'
      | 'person_role_set'
      | 'person_removed'
      | 'webhook_created'
      | 'webhook_changed'
      | 'webhook_secret_rotated'
      | 'webhook_disabled'
      | 'webhook_deleted';
    subject: string;
    detail: string;
  };
  /** The processes that work on a PostgreSQL database; times are the database's own. */
  process: { id: string; role: 'all' | 'api' | 'worker' | 'prober'; started_at: number; seen_at: number };
  schema_version: { version: number; opened_at: number; serves: Generated<number> };
}
