import type { Explanation } from './explanation.ts';
import type { VerificationStatus } from './verification-result.ts';

/** The body of `POST /api/v1/bulk-email-verification`. */
export type BulkTaskRequest = {
  /** 1 to 100 addresses. A string that is no address does not fail the task: it is counted as rejected. */
  emails: string[];
  /** At most 25 characters. */
  name?: string;
};

/** The answer to the creation of a task: submitted = duplicates + rejected + processing. */
export type BulkTaskCreated = {
  status: 'success';
  task_id: string;
  count_submitted: number;
  count_duplicates_removed: number;
  count_rejected_emails: number;
  count_processing: number;
};

export type BulkTaskStatus = 'waiting' | 'running' | 'completed';

/** The answer to `GET /api/v1/bulk-email-verification/{taskId}`. */
export type BulkTaskProgress = {
  task_id: string;
  /** The submitted name after the prefix `API: `. */
  name: string;
  status: BulkTaskStatus;
  count_total: number;
  count_checked: number;
  /** From 0 to 100, at most two decimals; 100 once completed. */
  progress_percentage: number;
  /** Only once completed. The keys are the addresses as they were first spelled. */
  results?: Record<string, BulkResultRecord>;
};

/** What a completed task tells of one address. A field without evidence is absent. */
export type BulkResultRecord = {
  email: string;
  status: VerificationStatus;
  overall_score?: number;
  is_safe_to_send?: boolean;
  is_deliverable?: boolean;
  is_valid_syntax?: boolean;
  mx_accepts_mail?: boolean;
  /** Only where the status is `catch_all`, and then true. */
  is_catch_all?: boolean;
  verification_mode: 'power';
  /** Only where it was asked for with `?explain=true`. */
  explanation?: Explanation;
};
