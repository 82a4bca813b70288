import type { Generated } from 'kysely';
import type { KeyTables } from './tables/key-tables.ts';
import type { TaskTables } from './tables/task-tables.ts';

/**
 * The tables as the queries see them. `migrations/` makes them; what keeps them true (checks, keys,
 * triggers) is written there. Times are milliseconds since the epoch, flags 0 or 1, credits integers.
 *
 * The addresses of the people who sign in live in `person` and `invitation`. Those that are verified live in
 * `waiting_addresses`, `item`, in the results of `task`, in `list_piece` and `list_row`, in the answers of `idempotency`, in `probe`, and
 * nowhere else; all are erased when their time is over. The ledger (`account`, `hold`, `entry`) keeps counts only.
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
    /** Set where the books do not balance: nothing more is reserved. */
    frozen_at: number | null;
    created_at: number;
    /** What its webhooks want to hear of, in JSON (see webhooks/wanted-events.ts); null where they want nothing. */
    wanted_events: Generated<string | null>;
    /** What the operator allows; null where it is as many as the setting says. */
    requests_per_minute: Generated<number | null>;
    /** Up to when its test messages and repeated webhook messages are accounted for (see webhooks/send-allowance.ts). */
    webhook_sends_at: Generated<number>;
  };
  hold: {
    account_id: string;
    id: string;
    credits: number;
    state: 'open' | 'settled';
    charged: number;
    released: number;
    /** The process that serves the request; null where the hold belongs to a task. */
    owner: string | null;
    opened_at: number;
    /** When the sweeper gives it back; null where the hold belongs to a task. */
    expires_at: number | null;
    /** The key it was opened with; null for holds from before keys were noted. */
    key_id: Generated<string | null>;
    /** The day on which the key's cap counted it; null where the key had none. */
    capped_day: Generated<number | null>;
  };
  entry: {
    account_id: string;
    number: number;
    kind: 'grant' | 'reserve' | 'charge' | 'release';
    credits: number;
    /** What was done, once: no two entries have the same. */
    op: string;
    hold_id: string | null;
    at: number;
  };
  /** Credits in open holds of tasks and lists; the database adds them up itself (see 0019-open-holds.ts). */
  open_task_credits: { account_id: string; credits: number };
  /** How far the service has audited an account's ledger, and what the entries up to there add up to. */
  audit_mark: {
    account_id: string;
    /** The number of the last entry that was audited. */
    entries: number;
    granted: number;
    available: number;
    reserved: number;
    spent: number;
    /** What is reserved without an open hold, as the operator accepted it when the account was unfrozen. */
    accepted_gap: number;
    /** The last entry, and the time, at which everything was found to agree; null before the first time. */
    balanced_entries: number;
    balanced_at: number | null;
    audited_at: number;
  };
  idempotency: {
    account_id: string;
    request_key: string;
    endpoint: 'verification' | 'task';
    body_hash: string;
    /** Which attempt holds the key, so that a late one cannot answer for another. */
    attempt: string;
    state: 'in_progress' | 'finished';
    answer: string | null;
    owner: string | null;
    expires_at: number;
  };
  /** What the engine has learnt of domains, mail hosts and routes. Never an address. */
  engine_memory: {
    kind: string;
    key: string;
    value: string;
    expires_at: number;
    written_at: Generated<number>;
    /** The process that wrote it last. */
    writer: Generated<string>;
  };
  /** Who changed what, append-only. Never a key, a token or an address. */
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
