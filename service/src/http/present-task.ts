import type { BulkResultRecord, BulkTaskProgress } from '@mailproof/client';
import type { ReadTaskAnswer } from '../tasks/read-task.ts';

type Task = ReadTaskAnswer & { kind: 'task' };
type TaskResult = NonNullable<Task['results']>[number];

/** A task as the contract shows it. Results appear only once it is completed. */
export function presentTask(task: Task, { explain }: { explain: boolean }): BulkTaskProgress {
  const { results } = task;
  return {
    task_id: task.taskId,
    name: task.name,
    status: task.status,
    count_total: task.total,
    count_checked: task.checked,
    progress_percentage: progressOf(task),
    ...(task.status === 'completed' && results !== undefined
      ? { results: presentResults(results, explain) }
      : {}),
  };
}

/** Two decimals. A task has at most 100 addresses, so rounding never shows 100 before the end. */
function progressOf({ status, total, checked }: Task): number {
  if (status === 'completed') return 100;
  return total === 0 ? 0 : Math.round((10_000 * checked) / total) / 100;
}

/** `Object.fromEntries` defines properties instead of setting them: an address may be spelled like a prototype's name. */
function presentResults(results: TaskResult[], explain: boolean): Record<string, BulkResultRecord> {
  return Object.fromEntries(results.map((result) => [result.email, presentRecord(result, explain)]));
}

/** The record of interface section 2.4: a part of the verdict, and of that only what there is evidence for. */
function presentRecord(result: TaskResult, explain: boolean): BulkResultRecord {
  const { email, verdict } = result;
  const record: BulkResultRecord = { email, status: verdict.status, verification_mode: 'power' };
  if ('overall_score' in verdict) record.overall_score = verdict.overall_score;
  if ('is_safe_to_send' in verdict) record.is_safe_to_send = verdict.is_safe_to_send;
  if ('is_deliverable' in verdict) record.is_deliverable = verdict.is_deliverable;
  record.is_valid_syntax = verdict.is_valid_syntax;
  if ('mx_accepts_mail' in verdict) record.mx_accepts_mail = verdict.mx_accepts_mail;
  if (verdict.status === 'catch_all') record.is_catch_all = true;
  if (explain) record.explanation = result.explanation;
  return record;
}
