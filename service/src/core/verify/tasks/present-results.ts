import type { BulkResultRecord } from '@mailproof/client';
import { statement, type Reader } from '../../store/statement.ts';
import type { TaskVerdict } from './result.ts';

/**
 * The results of a task as the contract shows them: a JSON object from address to record. It is put together as text,
 * because a completed task is read far more often than it is written and never changes.
 */
const findResults = statement((db, arg: { task: string }) =>
  db
    .selectFrom('item')
    .select(['email', 'verdict', 'explanation'])
    .where('task_id', '=', arg.task)
    .where('verdict', 'is not', null)
    .orderBy('position'),
);

export async function presentResults(
  reader: Pick<Reader, 'all'>,
  taskId: string,
  { explain }: { explain: boolean },
): Promise<string> {
  const rows = await reader.all(findResults, { task: taskId });
  const members = rows.map(({ email, verdict, explanation }) => {
    const record = JSON.stringify(recordOf(email, readVerdict(verdict)));
    const shown = explain ? `${record.slice(0, -1)},"explanation":${explanation ?? 'null'}}` : record;
    return `${JSON.stringify(email)}:${shown}`;
  });
  return `{${members.join(',')}}`;
}

/** The record of interface section 2.4: a part of the verdict, and of that only what there is evidence for. */
export function recordOf(email: string, verdict: TaskVerdict): BulkResultRecord {
  const record: BulkResultRecord = { email, status: verdict.status, verification_mode: 'power' };
  if ('overall_score' in verdict) record.overall_score = verdict.overall_score;
  if ('is_safe_to_send' in verdict) record.is_safe_to_send = verdict.is_safe_to_send;
  if ('is_deliverable' in verdict) record.is_deliverable = verdict.is_deliverable;
  record.is_valid_syntax = verdict.is_valid_syntax;
  if ('mx_accepts_mail' in verdict) record.mx_accepts_mail = verdict.mx_accepts_mail;
  if (verdict.status === 'catch_all') record.is_catch_all = true;
  return record;
}

/** Only `recordResult` writes verdicts. */
function readVerdict(text: string | null): TaskVerdict {
  return JSON.parse(text ?? 'null') as TaskVerdict;
}
