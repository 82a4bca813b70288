import type { BulkTaskStatus } from './bulk-task.ts';

/** The pages of an account: `/api/v1/account` and below. Times are ISO 8601 in UTC. */
export type Account = {
  account_id: string;
  name: string;
  /** Without a plan nothing is created; reading goes on. */
  plan: 'paid' | 'none';
  credits: AccountCredits;
  /** The books did not balance: nothing more is reserved until the operator has looked. */
  frozen: boolean;
  /** The key that asks; null where a person has signed in. */
  key: { key_id: string; name: string; mode: KeyMode } | null;
};

/** granted = available + reserved + spent. */
export type AccountCredits = { granted: number; available: number; reserved: number; spent: number };

export type KeyMode = 'live' | 'test';

/** An entry of the ledger, and what it left behind. */
export type LedgerEntry = {
  /** 1, 2, 3 … without gaps. */
  number: number;
  kind: 'grant' | 'reserve' | 'charge' | 'release';
  credits: number;
  at: string;
  available: number;
  reserved: number;
  spent: number;
  /** While the task is kept. */
  task_id?: string;
  request_id?: string;
};

/** `next` goes into `before` of the next request; null at the end. */
export type LedgerPage = { entries: LedgerEntry[]; next: string | null };

/** Credits that moved on a day of UTC. */
export type UsageDay = { date: string; charged: number; reserved: number; released: number };

/** One for each day, the oldest first. */
export type Usage = { days: UsageDay[] };

export type AccountTask = {
  task_id: string;
  name: string;
  status: BulkTaskStatus;
  mode: KeyMode;
  count_total: number;
  count_checked: number;
  progress_percentage: number;
  created_at: string;
  completed_at: string | null;
  expires_at: string | null;
  /** The key that created it. */
  key_id: string | null;
  /** What it holds, or was charged once it is completed. */
  credits_used: number;
};

export type TaskPage = { tasks: AccountTask[]; next: string | null };

/** What a key may be good for, in the order in which keys list them. */
export const keyScopes = ['verify', 'tasks', 'lists', 'account:read', 'account:write'] as const;

export type KeyScope = (typeof keyScopes)[number];

/** What a key is limited to; null where it is not. */
export type KeyLimits = {
  scopes: KeyScope[] | null;
  expires_at: string | null;
  /** IP addresses and blocks of them (CIDR) that it may be used from. */
  allowed_ips: string[] | null;
  /** What it may be charged on a day of UTC. */
  credits_per_day: number | null;
};

export type AccountKey = KeyLimits & {
  key_id: string;
  name: string;
  mode: KeyMode;
  last4: string;
  created_at: string;
  /** The last day, in UTC, on which it was used. */
  last_used: string | null;
  /** Credits charged to it in the last 30 days. */
  credits_used: number;
  /** What counts against `credits_per_day` today: charged and still reserved; null where there is no cap. */
  credits_today: number | null;
  /** Whether it is the key that asks. */
  current: boolean;
};

export type KeyList = { keys: AccountKey[] };

/** A limit that is not named is none. */
export type KeyRequest = { name?: string; mode?: KeyMode } & KeyLimitsRequest;

export type KeyLimitsRequest = {
  scopes?: KeyScope[] | null;
  expires_at?: string | null;
  allowed_ips?: string[] | null;
  credits_per_day?: number | null;
};

/** `api_key` is the whole key. It is told here and never again. */
export type CreatedKey = Omit<AccountKey, 'current'> & { api_key: string };

/** What is not named stays as it is; null takes a limit away. */
export type KeyChange = { name?: string } & KeyLimitsRequest;
