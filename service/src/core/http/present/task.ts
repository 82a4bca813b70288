import type { BulkTaskCreated, BulkTaskProgress } from '@mailproof/client';
import type { CreateTaskAnswer } from '../../verify/tasks/create-task.ts';
import type { ReadTaskAnswer } from '../../verify/tasks/read-task.ts';

type Task = ReadTaskAnswer & { kind: 'task' };

export function presentCreatedTask({
  taskId,
  counts,
}: CreateTaskAnswer & { kind: 'created' }): BulkTaskCreated {
  return {
    status: 'success',
    task_id: taskId,
    count_submitted: counts.submitted,
    count_duplicates_removed: counts.duplicatesRemoved,
    count_rejected_emails: counts.rejected,
    count_processing: counts.processing,
  };
}

/** A task as the contract shows it, but for the results. */
export function presentProgress(task: Task): BulkTaskProgress {
  return {
    task_id: task.taskId,
    name: task.name,
    status: task.status,
    count_total: task.total,
    count_checked: task.checked,
    progress_percentage: progressOf(task),
  };
}

/** The body. The results are stored as JSON text when the task is completed, and are sent as they are. */
export function withResults(progress: BulkTaskProgress, resultsJson: string | undefined): string {
  const text = JSON.stringify(progress);
  return resultsJson === undefined ? text : `${text.slice(0, -1)},"results":${resultsJson}}`;
}

/** Two decimals. A task has at most 100 addresses, so rounding never shows 100 before the end. */
export function progressOf({ status, total, checked }: Pick<Task, 'status' | 'total' | 'checked'>): number {
  if (status === 'completed') return 100;
  return total === 0 ? 0 : Math.round((10_000 * checked) / total) / 100;
}
