import type { Generated } from 'kysely';

/** The tables of lists. */
declare module '../../core/store/schema.ts' {
  interface Schema {
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
  }
}
