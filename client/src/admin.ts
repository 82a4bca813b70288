import type { AccountCredits, AccountTask } from './account.ts';
import type { VerificationStatus } from './verification-result.ts';

/** The operator's side: `/admin/v1` and below. Times are ISO 8601 in UTC. Never an address. */
export type AdminAccount = {
  account_id: string;
  name: string;
  /** Without a plan nothing is created; reading goes on. */
  plan: 'paid' | 'none';
  credits: AccountCredits;
  /** The books did not balance: nothing more is reserved until somebody has looked. */
  frozen: boolean;
  /** Requests a minute that the operator allows; null where it is as many as the setting says. */
  requests_per_minute: number | null;
  created_at: string;
};

/** The newest first. `next` goes into `before` of the next request; null at the end. */
export type AdminAccountPage = { accounts: AdminAccount[]; next: string | null };

export type AdminAccountRequest = {
  /** At most 200 characters. */
  name: string;
  /** `paid` unless given. */
  plan?: 'paid' | 'none';
  /** To begin with; 0 unless given. */
  credits?: number;
};

/** What is not named stays as it is. */
export type AdminAccountChange = { plan?: 'paid' | 'none'; requests_per_minute?: number | null };

export type AdminGrantRequest = { credits: number };

/** What a request did, found by its `X-Request-Id`. */
export type AdminRequestTrace = {
  request_id: string;
  account_id: string;
  kind: 'verification' | 'task';
  at: string;
  credits: { reserved: number; charged: number; released: number };
  /** The task it made, while that is kept. */
  task?: AccountTask;
};

export type AuditAction =
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

export type AuditLogEntry = {
  /** Grows; there may be gaps. */
  number: number;
  at: string;
  /** `operator`, `command_line`, `service` (by itself) or `key:` and the id of a key. */
  actor: string;
  action: AuditAction;
  /** The id of the account or key that was changed. */
  subject: string;
  /** What it was changed to. */
  detail: Record<string, string | number>;
};

export type AuditLogPage = { entries: AuditLogEntry[]; next: string | null };

/** A status that did not occur is not there. */
export type StatusCounts = { [Status in VerificationStatus]?: number };

/** A prober outside the installation. */
export type AdminProber = {
  prober_id: string;
  name: string;
  /** `invited` until it has enrolled; `silent` where it was not heard of for half a minute. */
  state: 'invited' | 'well' | 'unwell' | 'silent';
  /** Why nothing is asked through it, in one word; null where something is. */
  why_not: string | null;
  /** Where its requests come from. */
  address: string | null;
  version: string | null;
  enrolled_at: string | null;
  seen_at: string | null;
  conversations: number;
  /** Hosts and providers that it leaves alone. */
  resting: number;
  answered: number;
  /** Of these, without an answer about the mailbox. */
  unknown: number;
  /** How many of a hundred addresses it may be asked about. */
  share: number;
  /** The egress addresses that the operator gave it, by its own names. */
  egress_given: string[];
  /** Of these, those that it has. */
  egress: string[];
  /** Names that it announces and was not given: nothing is asked from these. */
  egress_ignored: string[];
};

/** An egress address of the installation itself, from which one of its processes asks mail hosts. */
export type AdminEgressAddress = {
  name: string;
  /** `free` where no process asks from it now. */
  state: 'well' | 'unwell' | 'free';
  /** Why nothing is asked from it, in one word; null where something is. */
  why_not: string | null;
  /** The id of the process that owns it; null where none does. */
  owner: string | null;
  /** When the owner last prolonged its lease. */
  seen_at: string | null;
  lease_until: string | null;
  conversations: number;
  /** Hosts and providers that the owner leaves alone, from all of its addresses alike. */
  resting: number;
};

export type AdminProberList = { probers: AdminProber[]; egress_addresses: AdminEgressAddress[] };

/** The rests that are over now; empty if nothing of that name was left alone. `egress`: an address that is open again. */
export type EndedRests = {
  ended: { kind: ServiceHealth['resting'][number]['kind'] | 'egress'; name: string }[];
};

export type ServiceHealth = {
  /** The oldest first, without gaps. */
  verdicts: { from: string; minutes: number; counts: StatusCounts }[];
  /** The most frequent first, as are the next two. */
  unknown_reasons: { reason: string; count: number }[];
  /** Verifications that ended without a verdict. */
  failures: { reason: 'verification_unavailable' | 'verification_timeout'; count: number }[];
  /** By provider of the table; `other` are all others, `none` where no mail host was asked. */
  providers: { provider: string; counts: StatusCounts }[];
  /** Whom we leave alone, the longest first. */
  resting: {
    kind: 'host' | 'provider' | 'network' | 'address' | 'route';
    name: string;
    until: string;
    reason: string;
  }[];
  routes: {
    name: string;
    state: 'open' | 'closed' | 'resting' | 'spent' | 'down';
    until?: string;
    reason?: string;
  }[];
  /** Tasks. */
  queue: { waiting: number; running: number; oldest_waiting_at: string | null };
  /** `started_at` is null where it is not known. */
  processes: {
    id: string;
    role: 'all' | 'api' | 'worker' | 'prober';
    started_at: string | null;
    seen_at: string;
  }[];
  /** Which peer sends forwarding headers without being trusted, and what to do; null if none does. */
  proxy_problem: string | null;
  /** Of the process that answers, since it started. */
  engine: {
    dns_queries: number;
    dialled: number;
    forbidden: number;
    breaches: number;
    conversations_open: number;
    conversations_waiting: number;
    /** What is wrong with outbound port 25; null where nothing is. */
    mail_port_problem: string | null;
    /** What is wrong with the resolver, and what to do; null where nothing is. */
    resolver_problem: string | null;
    /** Which providers reject control mailboxes; null where none does. */
    control_problem: string | null;
    /** Which egress addresses block lists or providers refuse, and what to do; null where none is. */
    reputation_problem: string | null;
  };
};
