import type { Account, AccountCredits, AccountTask } from './account-types.ts';

/** Written by `npm run docs` from the schemas of the service. Change those, not this file. */

/** The account. */
export type AdminAccount = {
  account_id: string;
  name: string;
  /** Without a plan nothing is created. */
  plan: 'paid' | 'none';
  credits: AccountCredits;
  /**
   * Whether the account is frozen because its ledger does not balance; nothing can be reserved.
   */
  frozen: boolean;
  /**
   * Requests a minute that the account may send to each process; null: the default of the setting.
   */
  requests_per_minute: number | null;
  created_at: string;
};

export type AdminAccountChange = {
  /** Without a plan nothing is created. */
  plan?: 'paid' | 'none';
  /** To each process. */
  requests_per_minute?: number | null;
};

/** Newest first. */
export type AdminAccountPage = {
  accounts: AdminAccount[];
  /** Send it as `before` to get the next page; null on the last page. */
  next: string | null;
};

export type AdminAccountRequest = {
  name: string;
  /** Without a plan nothing is created. */
  plan?: 'paid' | 'none';
  credits?: number;
};

export type AdminEgressAddress = {
  /** Of a route, or `default`. */
  name: string;
  state: 'well' | 'unwell' | 'free';
  /** Why nothing is asked from it, in one word. */
  why_not: string | null;
  /** The id of the process that owns it. */
  owner: string | null;
  /** When the owner last prolonged its lease. */
  seen_at: string | null;
  /** When it is free if the owner is not heard of again. */
  lease_until: string | null;
  /** Conversations that are open from it. */
  conversations: number;
  /** Hosts and providers that the owner leaves alone. */
  resting: number;
};

export type AdminEndRestRequest = {
  /**
   * A provider, the domain of mail hosts or an IP address, as `resting` of the health lists it.
   */
  name: string;
};

export type EndedRests = {
  /** Empty if nothing of that name is left alone. */
  ended: {
    kind: 'host' | 'provider' | 'network' | 'address' | 'route' | 'egress';
    name: string;
  }[];
};

export type AdminGrantRequest = {
  credits: number;
};

export type AdminProber = {
  prober_id: string;
  name: string;
  state: 'invited' | 'well' | 'unwell' | 'silent';
  /** Why nothing is asked through it, in one word. */
  why_not: string | null;
  /** The networks of its requests. */
  address: string | null;
  /** Of its program. */
  version: string | null;
  /** When it enrolled. */
  enrolled_at: string | null;
  /** When it was last heard of. */
  seen_at: string | null;
  /** Conversations that it has open. */
  conversations: number;
  /** Hosts and providers that it leaves alone. */
  resting: number;
  /** Probes that it has answered. */
  answered: number;
  /** Of these, without an answer about the mailbox. */
  unknown: number;
  /** How many of a hundred addresses it may be asked about. */
  share: number;
  /** The egress addresses that the operator gave it, by its own names. */
  egress_given: string[];
  /** Of these, those that it has. */
  egress: string[];
  /** Names that it announces and was not given; nothing is asked from these. */
  egress_ignored: string[];
};

/** By name. */
export type AdminProberList = {
  probers: AdminProber[];
  egress_addresses: AdminEgressAddress[];
};

/** Effects of the request. Never an address. */
export type AdminRequestTrace = {
  request_id: string;
  account_id: string;
  kind: 'verification' | 'task';
  /** When it began. */
  at: string;
  credits: {
    /** Credits it reserved. */
    reserved: number;
    /** Credits it was charged. */
    charged: number;
    /** Credits it was given back. */
    released: number;
  };
  task?: AccountTask;
};

export type AdminUnfreezeRequest = {
  /** Why, for the audit log. */
  reason: string;
};

export type AuditLogEntry = {
  /** Increases; there may be gaps. */
  number: number;
  at: string;
  /** `operator`, `command_line`, `service` (the service itself) or `key:` and the id of a key. */
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
    | 'form_key_created'
    | 'form_key_deleted'
    | 'operator_signed_in'
    | 'person_invited'
    | 'invitation_withdrawn'
    | 'person_joined'
    | 'person_signed_in'
    | 'person_role_set'
    | 'person_removed'
    | 'prober_added'
    | 'prober_enrolled'
    | 'prober_removed'
    | 'webhook_created'
    | 'webhook_changed'
    | 'webhook_secret_rotated'
    | 'webhook_disabled'
    | 'webhook_deleted';
  /** The id of the account, key or webhook that was changed. */
  subject: string;
  /** The new value. */
  detail: Record<string, string | number>;
};

/** Newest first. */
export type AuditLogPage = {
  entries: AuditLogEntry[];
  /** Send it as `before` to get the next page; null on the last page. */
  next: string | null;
};

/** The state of the service. */
export type ServiceHealth = {
  /** Oldest first, without gaps. */
  verdicts: {
    from: string;
    minutes: number;
    /** By status; a status that did not occur is absent. */
    counts: {
      [
        Key in
          | 'safe'
          | 'invalid'
          | 'disabled'
          | 'disposable'
          | 'inbox_full'
          | 'catch_all'
          | 'role_account'
          | 'spamtrap'
          | 'unknown'
      ]?: number;
    };
  }[];
  /** Why verdicts were `unknown`, the most frequent first. */
  unknown_reasons: {
    reason: string;
    count: number;
  }[];
  /** Verifications that ended without a verdict. */
  failures: {
    reason: 'verification_unavailable' | 'verification_timeout';
    count: number;
  }[];
  /**
   * By mail provider; `other` stands for all that are not in our table, `none` for verdicts without a
   * mail host.
   */
  providers: {
    provider: string;
    /** By status; a status that did not occur is absent. */
    counts: {
      [
        Key in
          | 'safe'
          | 'invalid'
          | 'disabled'
          | 'disposable'
          | 'inbox_full'
          | 'catch_all'
          | 'role_account'
          | 'spamtrap'
          | 'unknown'
      ]?: number;
    };
  }[];
  /** Paused mail hosts, providers and networks, the longest pause first. */
  resting: {
    kind: 'host' | 'provider' | 'network' | 'address' | 'route';
    name: string;
    until: string;
    reason: string;
  }[];
  /** Egress routes. */
  routes: {
    name: string;
    state: 'open' | 'closed' | 'resting' | 'spent' | 'down';
    until?: string;
    reason?: string;
  }[];
  queue: {
    /** Tasks that wait for a worker, counted up to 10000. */
    waiting: number;
    /** Running tasks, including those that wait for a mail host, counted up to 10000. */
    running: number;
    /** When the oldest waiting task was created. */
    oldest_waiting_at: string | null;
  };
  processes: {
    id: string;
    role: 'all' | 'api' | 'worker' | 'prober';
    /** Null if not known. */
    started_at: string | null;
    /** When it last reported. */
    seen_at: string;
  }[];
  /**
   * Which peer sends forwarding headers without being trusted, and what to do; null if none does.
   */
  proxy_problem: string | null;
  engine: {
    /** DNS queries sent. */
    dns_queries: number;
    /** Mail hosts dialled. */
    dialled: number;
    /** Addresses that the egress guard refused. */
    forbidden: number;
    /** Connections to forbidden addresses that were cut; should be 0. */
    breaches: number;
    /** SMTP conversations open now. */
    conversations_open: number;
    /** Addresses waiting for a conversation now. */
    conversations_waiting: number;
    /** Problem of outbound port 25; null if there is none. */
    mail_port_problem: string | null;
    /**
     * Why public mail hosts are not asked under our HELO name and sender, and what to set; null if they
     * are.
     */
    identity_problem: string | null;
    /** Problem of the resolver and its remedy; null if there is none. */
    resolver_problem: string | null;
    /** Which providers reject control mailboxes; null if none does. */
    control_problem: string | null;
    /** Which egress addresses block lists or providers refuse, and what to do; null if none is. */
    reputation_problem: string | null;
  };
};

/** The page of the provider. */
export type ProviderRedirect = {
  /** The URL that the browser must open. */
  url: string;
};

export type ProviderSignIn = {
  /** The part after the `#` of an invitation’s link. */
  invitation?: string;
  /** The account to open, for those who are in several. */
  account_id?: string;
};

export type SessionAccount = {
  account_id: string;
  name: string;
};

/** Set if the OpenID provider vouched for a person. */
export type SessionPerson = {
  person_id: string;
  email: string | null;
  name: string | null;
  role: 'owner' | 'member' | 'viewer';
  /** Every account they are in, this one included. */
  accounts: SessionAccount[];
};

/** The person or key that is signed in. */
export type SessionState = {
  kind: 'account' | 'operator';
  /** Send it as `X-CSRF-Token` with every request except GET. */
  csrf_token: string;
  account?: Account;
  person?: SessionPerson;
};

/** Exactly one of the two. */
export type SignIn = {
  /** An API key of the account. */
  key?: string;
  /** The operator's token, in place of a key. */
  admin_token?: string;
};

/** The ways to sign in. */
export type SignInOptions = {
  /** With an API key or the admin token. */
  key: boolean;
  /** With an OpenID provider, if one is set. */
  provider: SignInProvider | null;
};

export type SignInProvider = {
  /** Its name for people. */
  name: string;
};
