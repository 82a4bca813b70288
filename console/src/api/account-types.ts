/** What the account endpoints answer with. Times are ISO 8601 in UTC. */

export type Credits = { granted: number; available: number; reserved: number; spent: number };
export type KeyMode = 'live' | 'test';

export type Account = {
  account_id: string;
  name: string;
  plan: string;
  credits: Credits;
  /** Held by the audit: nothing can be spent until the operator has looked. */
  frozen: boolean;
  key: { key_id: string; name: string | null; mode: KeyMode };
};

export type LedgerKind = 'grant' | 'reserve' | 'charge' | 'release';

export type LedgerEntry = {
  number: number;
  kind: LedgerKind;
  credits: number;
  at: string;
  /** What the account held after this entry. */
  available: number;
  reserved: number;
  spent: number;
  task_id?: string;
  request_id?: string;
};

export type UsageDay = { date: string; charged: number; reserved: number; released: number };

export type TaskSummary = {
  task_id: string;
  name: string;
  status: 'waiting' | 'running' | 'completed';
  mode: KeyMode;
  count_total: number;
  count_checked: number;
  progress_percentage: number;
  created_at: string;
  completed_at: string | null;
  expires_at: string | null;
  key_id: string | null;
  credits_used: number;
};

export type ApiKey = {
  key_id: string;
  name: string | null;
  mode: KeyMode;
  last4: string;
  created_at: string;
  /** The key this session was opened with. */
  current?: boolean;
};

/** The answer to a creation: the only time the key itself is told. */
export type NewApiKey = ApiKey & { api_key: string };

/** A page of a list, newest first; `next` leads to the page after it. */
export type Paged = { limit?: number; before?: string | undefined };

export type Session = { kind: 'account' | 'operator'; csrf_token: string; account?: Account };
