/** Written by `npm run docs` from the schemas of the service. Change those, not this file. */

/** The account. */
export type Account = {
  account_id: string;
  name: string;
  plan: 'paid' | 'none';
  credits: AccountCredits;
  /**
   * Whether the account is frozen because its ledger does not balance; nothing can be reserved.
   */
  frozen: boolean;
  /** The key of this request; null where a person has signed in. */
  key: RequestKey | null;
};

/** The key. */
export type AccountKey = {
  /** The public part of the key. */
  key_id: string;
  name: string;
  mode: 'live' | 'test';
  /** The last characters of its secret. */
  last4: string;
  /** When it was created. */
  created_at: string;
  /**
   * Scopes: `verify` (single verifications), `tasks`, `lists`, `account:read` (all reads of the
   * account, sign-in), `account:write` (keys, publishable keys, webhooks).
   */
  scopes: ('verify' | 'tasks' | 'lists' | 'account:read' | 'account:write')[] | null;
  /** When it stops working. */
  expires_at: string | null;
  /** IP addresses and blocks of them (CIDR) that the key may be used from. */
  allowed_ips: string[] | null;
  /**
   * Credits that the key may be charged on a day of UTC; reserved credits count until they are
   * settled.
   */
  credits_per_day: number | null;
  /** The last day of use in UTC, `YYYY-MM-DD`. */
  last_used: string | null;
  /** Credits charged to it in the last 30 days, today included. */
  credits_used: number;
  /** Credits that count against `credits_per_day` today; null without a cap. */
  credits_today: number | null;
  /** Whether it is the key of this request. */
  current: boolean;
};

/** All keys that are not deleted, newest first. */
export type KeyList = {
  keys: AccountKey[];
};

export type AccountTask = {
  task_id: string;
  name: string;
  status: 'waiting' | 'running' | 'completed';
  mode: 'live' | 'test';
  /** Addresses in the task. */
  count_total: number;
  /** Addresses checked so far. */
  count_checked: number;
  progress_percentage: number;
  /** When it was created. */
  created_at: string;
  /** When it was completed. */
  completed_at: string | null;
  /** When it is erased. */
  expires_at: string | null;
  /** The key that created it. */
  key_id: string | null;
  /** Credits it holds, or was charged once it is completed. */
  credits_used: number;
};

/** Newest first. */
export type TaskPage = {
  tasks: AccountTask[];
  /** Send it as `before` to get the next page; null on the last page. */
  next: string | null;
};

/** The invitation, with its link. */
export type CreatedInvitation = {
  invitation_id: string;
  /**
   * `owner`: everything. `member`: verifies, runs tasks and lists, reads the account. `viewer`: reads
   * only.
   */
  role: 'owner' | 'member' | 'viewer';
  /** The only address that may accept it; null: any holder of the link. */
  email: string | null;
  created_at: string;
  expires_at: string;
  /** The link. It is shown here and never again. */
  url: string;
};

/** The key was created. */
export type CreatedKey = {
  /** The public part of the key. */
  key_id: string;
  name: string;
  mode: 'live' | 'test';
  /** The last characters of its secret. */
  last4: string;
  /** When it was created. */
  created_at: string;
  /**
   * Scopes: `verify` (single verifications), `tasks`, `lists`, `account:read` (all reads of the
   * account, sign-in), `account:write` (keys, publishable keys, webhooks).
   */
  scopes: ('verify' | 'tasks' | 'lists' | 'account:read' | 'account:write')[] | null;
  /** When it stops working. */
  expires_at: string | null;
  /** IP addresses and blocks of them (CIDR) that the key may be used from. */
  allowed_ips: string[] | null;
  /**
   * Credits that the key may be charged on a day of UTC; reserved credits count until they are
   * settled.
   */
  credits_per_day: number | null;
  /** The last day of use in UTC, `YYYY-MM-DD`. */
  last_used: string | null;
  /** Credits charged to it in the last 30 days, today included. */
  credits_used: number;
  /** Credits that count against `credits_per_day` today; null without a cap. */
  credits_today: number | null;
  /** The whole key. It is not shown again. */
  api_key: string;
};

export type AccountCredits = {
  /** All credits there ever were: available + reserved + spent. */
  granted: number;
  /** To be had. */
  available: number;
  /** Held by what is under way. */
  reserved: number;
  /** Charged. */
  spent: number;
};

export type FormCheckRequest = {
  email: string;
};

/** A publishable key. */
export type FormKey = {
  /** The whole key. It is not a secret: it stands in your pages. */
  form_key: string;
  name: string;
  /** The pages that may use it. */
  origins: string[];
  /** Checks a day (UTC) with this key; 10,000 unless set. */
  checks_per_day: number;
  /** Checks a day for one client address; 100 unless set. */
  checks_per_visitor: number;
  created_at: string;
};

/** All publishable keys that are not deleted, newest first. */
export type FormKeyList = {
  form_keys: FormKey[];
};

export type FormKeyRequest = {
  name?: string;
  /** Scheme, host and port of each page that may use the key, as in `https://www.example.com`. */
  origins: string[];
  /** Checks a day (UTC) with this key; 10,000 unless set. */
  checks_per_day?: number;
  /** Checks a day for one client address; 100 unless set. */
  checks_per_visitor?: number;
};

/** An invitation that is not accepted yet. */
export type Invitation = {
  invitation_id: string;
  /**
   * `owner`: everything. `member`: verifies, runs tasks and lists, reads the account. `viewer`: reads
   * only.
   */
  role: 'owner' | 'member' | 'viewer';
  /** The only address that may accept it; null: any holder of the link. */
  email: string | null;
  created_at: string;
  expires_at: string;
};

export type InvitationRequest = {
  /**
   * `owner`: everything. `member`: verifies, runs tasks and lists, reads the account. `viewer`: reads
   * only.
   */
  role: 'owner' | 'member' | 'viewer';
  /** If set, only a person who signs in with this verified address may accept. */
  email?: string | null;
};

export type KeyChange = {
  name?: string;
  /**
   * Scopes: `verify` (single verifications), `tasks`, `lists`, `account:read` (all reads of the
   * account, sign-in), `account:write` (keys, publishable keys, webhooks).
   */
  scopes?: ('verify' | 'tasks' | 'lists' | 'account:read' | 'account:write')[] | null;
  /** A time of ISO 8601 with its zone, or a day, which begins in UTC; not in the past. */
  expires_at?: string | null;
  /** IP addresses and blocks of them (CIDR) that the key may be used from. */
  allowed_ips?: string[] | null;
  /**
   * Credits that the key may be charged on a day of UTC; reserved credits count until they are
   * settled.
   */
  credits_per_day?: number | null;
};

export type KeyRequest = {
  name?: string;
  mode?: 'live' | 'test';
  /**
   * Scopes: `verify` (single verifications), `tasks`, `lists`, `account:read` (all reads of the
   * account, sign-in), `account:write` (keys, publishable keys, webhooks).
   */
  scopes?: ('verify' | 'tasks' | 'lists' | 'account:read' | 'account:write')[] | null;
  /** A time of ISO 8601 with its zone, or a day, which begins in UTC; not in the past. */
  expires_at?: string | null;
  /** IP addresses and blocks of them (CIDR) that the key may be used from. */
  allowed_ips?: string[] | null;
  /**
   * Credits that the key may be charged on a day of UTC; reserved credits count until they are
   * settled.
   */
  credits_per_day?: number | null;
};

export type LedgerEntry = {
  /** Counts from 1 without gaps. */
  number: number;
  kind: 'grant' | 'reserve' | 'charge' | 'release';
  credits: number;
  /** When. */
  at: string;
  /** Available after this entry. */
  available: number;
  /** Reserved after this entry. */
  reserved: number;
  /** Spent after this entry. */
  spent: number;
  /** The task it was for, as long as the task is kept. */
  task_id?: string;
  /** The request it was for. */
  request_id?: string;
};

/** Newest first. */
export type LedgerPage = {
  entries: LedgerEntry[];
  /** Send it as `before` to get the next page; null on the last page. */
  next: string | null;
};

/** The people of the account, and the open invitations to it. */
export type PeopleList = {
  people: Person[];
  invitations: Invitation[];
};

/** A person who signs in with the provider. */
export type Person = {
  person_id: string;
  /** As the provider has verified it; null where it has not. */
  email: string | null;
  /** As the provider told it. */
  name: string | null;
  /**
   * `owner`: everything. `member`: verifies, runs tasks and lists, reads the account. `viewer`: reads
   * only.
   */
  role: 'owner' | 'member' | 'viewer';
  created_at: string;
  /** The last sign-in. */
  signed_in_at: string;
  /** Whether it is the caller. */
  current: boolean;
};

export type PersonChange = {
  /**
   * `owner`: everything. `member`: verifies, runs tasks and lists, reads the account. `viewer`: reads
   * only.
   */
  role: 'owner' | 'member' | 'viewer';
};

export type RequestKey = {
  key_id: string;
  name: string;
  mode: 'live' | 'test';
};

/** One entry for each day, days without use included, oldest first. */
export type Usage = {
  days: UsageDay[];
};

export type UsageDay = {
  /** The day in UTC, `YYYY-MM-DD`. */
  date: string;
  /** Credits charged on that day. */
  charged: number;
  /** Credits reserved. */
  reserved: number;
  /** Credits given back. */
  released: number;
};
