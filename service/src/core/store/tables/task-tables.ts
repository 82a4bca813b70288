import type { Generated } from 'kysely';

/** Bulk tasks and their addresses. */
export type TaskTables = {
  task: {
    id: string;
    account_id: string;
    mode: 'live' | 'test';
    name: string;
    status: 'waiting' | 'running' | 'completed';
    total: number;
    checked: number;
    /** Null for tasks of test keys and for tasks with nothing to process. */
    hold_id: string | null;
    fence: number;
    lease_owner: string | null;
    /** 0 where nobody holds the task. */
    lease_until: number;
    /** Not to be claimed before. */
    next_at: number;
    deadline_at: number;
    created_at: number;
    completed_at: number | null;
    expires_at: number | null;
    /** The results as the contract shows them, in JSON, made once when the task was completed. */
    results: string | null;
    /** The key and the request that created it. */
    key_id: string | null;
    request_id: string | null;
    /** The list that it is a part of; such a task has no hold of its own. */
    list_id: Generated<string | null>;
  };
  item: {
    task_id: string;
    position: number;
    email: string;
    state: 'pending' | 'done';
    /** Probes begun since the last answer; written before the probe, so that a crash is counted. */
    attempts: number;
    /** Deferred answers so far. */
    visits: number;
    next_at: number;
    conclusive: number;
    verdict: string | null;
    explanation: string | null;
    /** The visits that ended in a deferral, in JSON; null before the first. */
    visited: string | null;
    /** Which row of the list it is, where the task is part of one. */
    list_row: Generated<number | null>;
  };
  /** The addresses of a task that nobody has claimed yet. The first claim makes them items (see migrations/0018). */
  waiting_addresses: {
    task_id: string;
    /** In JSON, in their order. */
    emails: string;
  };
};
