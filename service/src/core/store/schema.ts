import type { Generated } from 'kysely';
import type { FormTables } from '../../features/forms/form-tables.ts';
import type { KeyTables } from './tables/key-tables.ts';
import type { PeopleTables } from '../../features/people/people-tables.ts';
import type { ProberTables } from '../../features/probers/prober-tables.ts';
import type { TaskTables } from './tables/task-tables.ts';

/**
 * The tables as the queries see them. `migrations/` makes them; what keeps them true (checks, keys,
 * triggers) is written there. Times are milliseconds since the epoch, flags 0 or 1, credits integers.
 *
 * The addresses of the people who sign in live in `person` and `invitation`. Those that are verified live in
 * `waiting_addresses`, `item`, in the results of `task`, in `list_piece` and `list_row`, in the answers of `idempotency`, in `probe`, and
 * nowhere else; all are erased when their time is over. The ledger (`account`, `hold`, `entry`) keeps counts only.
 */
export type Schema = FormTables &
  KeyTables &
  PeopleTables &
  ProberTables &
  TaskTables & {
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
    /** A file with addresses. See lists/list.ts for its states. */
    list: {
      id: string;
      account_id: string;
      mode: 'live' | 'test';
      name: string;
      state: 'receiving' | 'surveyed' | 'running' | 'paused' | 'completed' | 'cancelled' | 'deleted';
      file_bytes: Generated<number>;
      /** Whether all bytes of the file are valid UTF-8. */
      valid_utf8: Generated<number>;
      /** How the file is read, in JSON (see lists/reading/read-list.ts). */
      plan: string | null;
      /** Domains of the list that are one slip away from a large provider, in JSON (see lists/suggest-domains.ts). */
      suggestions: Generated<string | null>;
      /** How long the run should take, as estimated by the survey; null in the sandbox and of lists of older versions. */
      expected_seconds: Generated<number | null>;
      /** 1 where each of several addresses in a cell is a row of its own. */
      split: Generated<number>;
      rows: Generated<number>;
      addresses: Generated<number>;
      duplicates: Generated<number>;
      blank: Generated<number>;
      rejected: Generated<number>;
      repaired: Generated<number>;
      /** Addresses that the run checks: all, or the first so many. */
      wanted: Generated<number>;
      /** Of these, handed to a task at least once. */
      planned: Generated<number>;
      checked: Generated<number>;
      conclusive: Generated<number>;
      /** Deferred by their mail host, to be asked again at `list_row.next_at`. */
      waiting: Generated<number>;
      /** The last row that the run checks. */
      last_row: Generated<number>;
      /** Addresses go to tasks in the order of their mail domain; these are the last that went. */
      cursor_host: Generated<string>;
      cursor_row: Generated<number>;
      /** When the first of those that wait is due. */
      next_due: number | null;
      hold_id: string | null;
      /** The process that receives the file; null once it is surveyed. */
      owner: string | null;
      key_id: string | null;
      request_id: string | null;
      created_at: number;
      started_at: number | null;
      ended_at: number | null;
      deadline_at: number | null;
      expires_at: number;
    };
    list_piece: { list_id: string; number: number; bytes: Uint8Array };
    list_row: {
      list_id: string;
      /** From 1; the heading and what stands above it are not counted. */
      row: number;
      kind: 'address' | 'duplicate' | 'rejected' | 'blank';
      /** The address as it is checked; what stands in the cell where it is none. */
      email: string | null;
      /** The domain in canonical form. */
      host: string | null;
      /** Of a duplicate: the row that has the address first. */
      same_as: number | null;
      /** What was read out of the cell, where that is not what stands in it. */
      repaired: string | null;
      /** Of a rejected row: why it is no address. */
      fault: string | null;
      status: string | null;
      score: number | null;
      safe: number | null;
      deliverable: number | null;
      reason: string | null;
      provider: string | null;
      explanation: string | null;
      /** The large provider's domain that was most likely meant. */
      did_you_mean: Generated<string | null>;
      next_at: number | null;
      visits: Generated<number>;
      visited: string | null;
    };
    /** How the answers of a list are spread. */
    list_count: { list_id: string; status: string; provider: string; addresses: number };
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
    /** Who owns the addresses that mail hosts are asked from (see probers/egress-addresses.ts). */
    egress_address: {
      name: string;
      /** The id of a process or of a prober outside; empty where it was left. */
      owner: string;
      kind: 'inside' | 'outside';
      /** Grows with each new owner. */
      fence: number;
      lease_until: number;
      /** Counts for the next owner, in JSON, and when they were written: at each prolongation, and on leaving. */
      state: string;
      saved_at: number;
      well: number;
      why_not: string;
      /** What its owner tells of it, in JSON: conversations and hosts left alone; a prober outside also of itself. */
      seen: string;
      /** How many of a hundred addresses a prober outside may be asked about. */
      share: Generated<number>;
    };
    /** A prober that is no process of the installation. */
    prober: {
      id: string;
      name: string;
      /** SHA-256 of the token that it enrols with, in hexadecimal; null once it has. */
      token_hash: string | null;
      token_until: number;
      /** SHA-256 of the secret that it made itself; null before it has enrolled. */
      secret_hash: string | null;
      /** What the accounts are hidden with from it. */
      tag_key: string;
      created_at: number;
      enrolled_at: number | null;
      /** Which of its processes works; others with the same secret stand by. */
      instance: Generated<string>;
      seen_at: Generated<number>;
      /** What it said of itself last, in JSON. */
      seen: Generated<string>;
      /** Probes that it has answered, and those of them that brought no conclusion. */
      answered: Generated<number>;
      unknown: Generated<number>;
      /** When control mailboxes were last asked through it, and how often in a row they came out right. */
      controlled_at: Generated<number>;
      controls_right: Generated<number>;
      /** Why nothing is asked through it; null where something is. */
      why_not: Generated<string | null>;
      /** How many of a hundred addresses it may be asked about. */
      share: Generated<number>;
      /** Probes in a row that it held and did not answer, or answered with what cannot be read. */
      faults: Generated<number>;
      /** When it was put aside for that; 0 where it never was. */
      aside_at: Generated<number>;
    };
    /** A question to a mail host on its way to whoever owns the egress address, and its answer on the way back. */
    probe: {
      id: string;
      /** The process that waits for the answer. */
      asker: string;
      egress: string;
      /** 0 where somebody waits for a single verification, 1 for one of a list. */
      urgency: number;
      /** The account, so that accounts are served in turn. */
      tag: string;
      /** The address and its mail route, in JSON. */
      question: string;
      asked_at: number;
      deadline_at: number;
      state: Generated<'waiting' | 'leased' | 'answered'>;
      /** The process, or the instance of a prober outside, that asks. */
      holder: Generated<string>;
      lease: Generated<string>;
      /** Grows each time that the probe is leased. */
      fence: Generated<number>;
      /** 0 where nobody holds it. */
      lease_until: Generated<number>;
      /** In JSON; null where the prober failed. While the probe is held: a mark if its asker has withdrawn it. */
      evidence: Generated<string | null>;
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
    /** An endpoint of an account that is told of events. */
    webhook: {
      id: string;
      account_id: string;
      url: string;
      /** The types of events it wants, in JSON. */
      events: string;
      /** `credits.low` is told when fewer credits than this are available. */
      credits_low_at: number | null;
      enabled: number;
      /** In the form in which its owner keeps it, `whsec_…`: to sign, the service needs the secret itself. */
      secret: string;
      /** The secret before, which is signed with too until then. */
      previous_secret: string | null;
      previous_until: number | null;
      /** When it was last told that credits are low; null again after a grant. */
      low_told_at: number | null;
      /** Since when every attempt has failed; null where the last one succeeded. */
      failing_since: number | null;
      /** When the last attempt timed out; null if it came to another end. */
      timed_out_at: Generated<number | null>;
      disabled_at: number | null;
      disabled_because: 'owner' | 'gone' | 'failing' | null;
      created_at: number;
      /** Nobody sees it any more; the sweep erases its deliveries and then itself. */
      deleted_at: number | null;
    };
    /** An event on its way to an endpoint, or what became of it. Never an address. */
    webhook_delivery: {
      id: string;
      webhook_id: string;
      /** The same for every endpoint and at each attempt. */
      event_id: string;
      type: string;
      /** What is sent, byte by byte. */
      body: string;
      state: 'pending' | 'delivered' | 'failed';
      attempts: number;
      /** What came of each attempt, in JSON. */
      attempt_log: string;
      /** The beginning of the last response. */
      response: string | null;
      next_at: number;
      fence: number;
      lease_owner: string | null;
      /** 0 where nobody holds it. */
      lease_until: number;
      created_at: number;
      ended_at: number | null;
    };
    /** How verdicts came out, in steps of time. Never an address or a domain. */
    verdict_count: {
      step_ms: number;
      begins_at: number;
      /** A status, or how a verification ended without one. */
      outcome: string;
      /** Why, where the status is `unknown`; else empty. */
      reason: string;
      /** A provider of the engine's table, or `other`; `none` where no mail host was asked. */
      provider: string;
      verdicts: number;
    };
    /** The processes that work on a PostgreSQL database; times are the database's own. */
    process: { id: string; role: 'all' | 'api' | 'worker' | 'prober'; started_at: number; seen_at: number };
    schema_version: { version: number; opened_at: number; serves: Generated<number> };
  };
