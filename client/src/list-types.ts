/** Written by `npm run docs` from the schemas of the service. Change those, not this file. */

export type ListChange = {
  /** The column with the addresses, by its index or its name. */
  column?: number | string;
  name?: string;
  /** Each of several addresses in a cell becomes a row of its own. */
  split?: boolean;
};

/** Lists, newest first. */
export type ListPage = {
  lists: ListRecord[];
  /** Pass it as `after` to get the next page; null at the end. */
  next: string | null;
};

export type ListRecord = {
  list_id: string;
  name: string;
  state: 'surveyed' | 'running' | 'paused' | 'completed' | 'cancelled';
  /** Uploaded with a test key: answered by the sandbox, and free. */
  sandbox: boolean;
  /** addresses + duplicates + blank + rejected. */
  rows: number;
  /** Different addresses. */
  addresses: number;
  /** Rows whose address an earlier row has. */
  duplicates: number;
  /** Rows without anything in the address column. */
  blank: number;
  /** Rows that hold something that is not an address. */
  rejected: number;
  /** Rows whose address was read out of something longer, such as `Name <a@b>`. */
  repaired: number;
  /** Whether each of several addresses in a cell is a row of its own. */
  split: boolean;
  /**
   * Domains one slip away from a large provider, those with the most rows first, at most 20. They are
   * found without asking anybody: whether they take mail is not known before the run.
   */
  suggestions: DomainSuggestion[];
  columns: ListColumn[];
  /** The column with the addresses. */
  column: number;
  /** At most: only conclusive results are charged. */
  credits_needed: number;
  /** Addresses that the run checks. */
  wanted: number;
  /** Addresses checked so far. */
  checked: number;
  /** Deferred by their mail host, to be asked again. */
  waiting: number;
  /** When the first of those that wait is asked again. */
  waiting_until: string | null;
  /** Of a paused list: addresses begun before the pause and not counted yet. */
  finishing: number;
  progress_percentage: number;
  /** Addresses by status. */
  by_status: Record<string, number>;
  /** Addresses by provider. */
  by_provider: Record<string, number>;
  /** Addresses by provider, and of each provider by status. */
  by_provider_and_status: Record<string, Record<string, number>>;
  /**
   * How long the run should take at least, by the limits of the egress addresses; estimated before it
   * starts.
   */
  expected_seconds: number | null;
  /** At the speed so far. */
  expected_end: string | null;
  /** Held by the run. */
  credits_reserved: number;
  /** Conclusive results so far; charged when the run ends. */
  credits_used: number;
  /** The name of the key that it was uploaded with. */
  created_by: string | null;
  /** When it was uploaded. */
  created_at: string;
  /** When it was started. */
  started_at: string | null;
  /** When it was completed or cancelled. */
  ended_at: string | null;
  /** When it is erased. */
  expires_at: string;
};

export type ListColumn = {
  /** From 0. */
  index: number;
  name: string;
  samples: string[];
};

export type DomainSuggestion = {
  domain: string;
  did_you_mean: string;
  /** Rows with this domain. */
  rows: number;
};

export type ListRow = {
  /** Rows are counted from 1, without the heading. */
  row: number;
  /** The address, or what stands in the cell where it is none. */
  email: string | null;
  /** As in a verification, or `rejected`; null without an answer. */
  status: string | null;
  /** The `overall_score`. */
  score: number | null;
  /** As in a verification. */
  is_safe_to_send: boolean | null;
  /** As in a verification. */
  is_deliverable: boolean | null;
  /** Why. */
  reason: string;
  /** Operator of the mail host, if known. */
  provider: string | null;
  /** The address that was read out of the cell. */
  repaired: string | null;
  /** The domain of a large provider that was most likely meant. */
  did_you_mean: string | null;
};

/** Rows in the order of the file. */
export type ListRowPage = {
  rows: ListRow[];
  /** Pass it as `after` to get the next page; null at the end. */
  next: string | null;
};

export type ListStart = {
  /** Check only this many addresses, from the top of the file. */
  first?: number;
};
