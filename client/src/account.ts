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
  /** The key that asks. */
  key: { key_id: string; name: string; mode: KeyMode };
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

export type AccountKey = {
  key_id: string;
  name: string;
  mode: KeyMode;
  last4: string;
  created_at: string;
  /** Whether it is the key that asks. */
  current: boolean;
};

export type KeyList = { keys: AccountKey[] };

export type KeyRequest = { name?: string; mode?: KeyMode };

/** `api_key` is the whole key. It is told here and never again. */
export type CreatedKey = Omit<AccountKey, 'current'> & { api_key: string };

export type KeyRename = { name: string };
