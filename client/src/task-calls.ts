import type { BulkTaskCreated, BulkTaskProgress } from './types/verification-types.ts';
import { readAnswer, hasText, type AnswerNotes } from './read-answer.ts';
import { request, type Connection } from './request.ts';

/** The two calls that a bulk task is made of. */
export type TaskCalls = {
  /** Creates a task of 1 to 100 addresses. */
  createTask(emails: readonly string[], options?: CreateTaskOptions): Promise<BulkTaskCreated & AnswerNotes>;
  getTask(taskId: string, options?: GetTaskOptions): Promise<BulkTaskProgress & AnswerNotes>;
};

type GetTaskOptions = { explain?: boolean | undefined; signal?: AbortSignal | undefined };
type CreateTaskOptions = {
  name?: string | undefined;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
};

const bulkPath = '/api/v1/bulk-email-verification';

export function createTaskCalls(connection: Connection): TaskCalls {
  return {
    async createTask(emails, { name, idempotencyKey, signal } = {}) {
      const body = { emails, ...(name === undefined ? {} : { name }) };
      const answer = await request(
        { method: 'POST', path: bulkPath, body, idempotencyKey, signal },
        connection,
      );
      return readAnswer(answer, isTaskCreated);
    },
    async getTask(taskId, { explain, signal } = {}) {
      const path = `${bulkPath}/${encodeURIComponent(taskId)}${explain === true ? '?explain=true' : ''}`;
      return readAnswer(await request({ method: 'GET', path, signal }, connection), isTaskProgress);
    },
  };
}

function isTaskCreated(body: object): body is BulkTaskCreated {
  return hasText(body, 'task_id') && 'count_processing' in body;
}

function isTaskProgress(body: object): body is BulkTaskProgress {
  return hasText(body, 'task_id') && hasText(body, 'status') && 'count_checked' in body;
}
