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
      /** Plan for reading the file, in JSON (see lists/reading/read-list.ts). */
      plan: string | null;
      /** Domains of the list that are one typo away from a large provider, in JSON (see lists/survey-list.ts). */
      suggestions: Generated<string | null>;
      /** Expected duration of the run, estimated by the survey; null in the sandbox and for lists of older versions. */
      expected_seconds: Generated<number | null>;
      /** 1 if each of several addresses in a cell is a row of its own. */
      split: Generated<number>;
      rows: Generated<number>;
      addresses: Generated<number>;
      duplicates: Generated<number>;
      blank: Generated<number>;
      rejected: Generated<number>;
      repaired: Generated<number>;
      /** Addresses that the run checks: all, or those at the top of the file. */
      wanted: Generated<number>;
      /** Of these, handed to a task at least once. */
      planned: Generated<number>;
      checked: Generated<number>;
      conclusive: Generated<number>;
      /** Deferred by their mail host, to be asked again at `list_row.next_at`. */
      waiting: Generated<number>;
      /** The last row that the run checks. */
      last_row: Generated<number>;
      /** Addresses go to tasks in the order of their mail domain; this is the last one handed out. */
      cursor_host: Generated<string>;
      cursor_row: Generated<number>;
      /** Earliest time at which a waiting address is due. */
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
      /** Counts from 1, without the heading and the lines above it. */
      row: number;
      kind: 'address' | 'duplicate' | 'rejected' | 'blank';
      /** The address as it is checked; of another row, the text of the cell. */
      email: string | null;
      /** The domain in canonical form. */
      host: string | null;
      /** Of a duplicate: the first row with the address. */
      same_as: number | null;
      /** The address read out of the cell, if it differs from the cell. */
      repaired: string | null;
      /** Of a rejected row: why it is not an address. */
      fault: string | null;
      status: string | null;
      score: number | null;
      safe: number | null;
      deliverable: number | null;
      reason: string | null;
      provider: string | null;
      explanation: string | null;
      /** Domain of the large provider that was most likely meant. */
      did_you_mean: Generated<string | null>;
      next_at: number | null;
      visits: Generated<number>;
      visited: string | null;
    };
    /** Answers of a list by status and provider. */
    list_count: { list_id: string; status: string; provider: string; addresses: number };
  }
}
