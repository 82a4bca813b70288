/** A list as the API shows it: a file with addresses that the service keeps, checks and hands back with the answers. */
export type ListRecord = {
  list_id: string;
  name: string;
  /** `surveyed` until it is started; `completed` and `cancelled` have ended. */
  state: 'surveyed' | 'running' | 'paused' | 'completed' | 'cancelled';
  /** Lists of test keys are answered by the sandbox and cost nothing. */
  sandbox: boolean;
  /** rows = addresses + duplicates + blank + rejected. */
  rows: number;
  addresses: number;
  duplicates: number;
  blank: number;
  rejected: number;
  /** Rows whose address was read out of something longer. */
  repaired: number;
  /** Whether each of several addresses in a cell is a row of its own. */
  split: boolean;
  /** Domains that are one slip away from a large provider. Whether they take mail is not known before the run. */
  suggestions: DomainSuggestion[];
  columns: ListColumn[];
  /** The column with the addresses; -1 while another one is being read. */
  column: number;
  /** At most; only conclusive results are charged. */
  credits_needed: number;
  /** Addresses that the run checks. */
  wanted: number;
  checked: number;
  /** Deferred by their mail host, to be asked again. */
  waiting: number;
  /** When the first of those that wait is asked again. */
  waiting_until: string | null;
  /** Of a paused list: addresses begun before the pause that are not counted yet. At 0 nothing changes any more. */
  finishing: number;
  progress_percentage: number;
  by_status: Record<string, number>;
  by_provider: Record<string, number>;
  /** How the addresses of each provider came out. */
  by_provider_and_status: Record<string, Record<string, number>>;
  /** How long the run should take at least, by the limits of the egress addresses; null in the sandbox. */
  expected_seconds: number | null;
  expected_end: string | null;
  credits_reserved: number;
  credits_used: number;
  /** The name of the key that it was uploaded with, in the console too; null where that is not known. */
  created_by: string | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  /** Erased after that, addresses and all. */
  expires_at: string;
};

/** A domain of a list, the large provider's that was most likely meant, and the rows that have it. */
export type DomainSuggestion = { domain: string; did_you_mean: string; rows: number };

export type ListColumn = { index: number; name: string; samples: string[] };

export type ListPage = { lists: ListRecord[]; next: string | null };

export type ListChange = { column?: number | string; name?: string; split?: boolean };

export type ListStart = { first?: number };

/** A row of a list. `status` is null where there is no answer, and `reason` says why. */
export type ListRow = {
  row: number;
  email: string | null;
  status: string | null;
  score: number | null;
  is_safe_to_send: boolean | null;
  is_deliverable: boolean | null;
  reason: string;
  provider: string | null;
  repaired: string | null;
  /** The large provider's domain that was most likely meant. */
  did_you_mean: string | null;
};

export type ListRowPage = { rows: ListRow[]; next: string | null };

/** What a call about lists may be refused with, beside what every call may. */
export type ListErrorReason =
  | 'invalid_list'
  | 'list_too_large'
  | 'unsupported_file'
  | 'list_not_found'
  | 'wrong_list_state'
  | 'too_many_uploads';
