import { MailproofError } from './mailproof-error.ts';
import { hasText, readAnswer, request, type AnswerNotes, type Connection } from './request.ts';
import type { BulkResultRecord, BulkTaskCreated, BulkTaskProgress } from './verification-types.ts';

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

export type RunTaskOptions = {
  idempotencyKey?: string | undefined;
  /** A task of these very addresses that was created before: it is waited for, and none is created. */
  taskId?: string | undefined;
  name?: string | undefined;
  explain?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Awaited before the first look at the task, so that its id can be stored. */
  onCreated?: ((created: BulkTaskCreated) => void | Promise<void>) | undefined;
  onProgress?: ((progress: BulkTaskProgress) => void) | undefined;
  /** The factor by which waits between two looks grow: with many tasks, each is looked at less often. */
  slowerBy?: (() => number) | undefined;
};

/** A task that is completed, and so has results. */
export type CompletedTask = BulkTaskProgress & AnswerNotes & { results: Record<string, BulkResultRecord> };

/** Creates a task of up to 100 addresses, or picks one up, and waits until it is completed. */
export async function runTask(
  emails: readonly string[],
  options: RunTaskOptions,
  { tasks, limits, parts }: Pick<Connection, 'limits' | 'parts'> & { tasks: TaskCalls },
): Promise<CompletedTask> {
  const { signal, explain, onProgress, slowerBy = () => 1 } = options;
  const taskId = options.taskId ?? (await create(emails, options, tasks));
  const until = parts.now() + limits.taskMs;
  let waitMs = limits.pollFirstMs;
  while (parts.now() < until) {
    await parts.wait(Math.round(waitMs * slowerBy() * (0.9 + 0.2 * parts.random())), signal);
    const task = await tasks.getTask(taskId, { explain, signal });
    onProgress?.(task);
    if (isCompleted(task)) return task;
    waitMs = Math.min(waitMs * 1.5, limits.pollLongestMs);
  }
  throw new MailproofError('no_answer_in_time');
}

async function create(emails: readonly string[], options: RunTaskOptions, tasks: TaskCalls): Promise<string> {
  const { name, idempotencyKey, signal, onCreated } = options;
  const created = await tasks.createTask(emails, { name, idempotencyKey, signal });
  await onCreated?.(created);
  return created.task_id;
}

function isCompleted(task: BulkTaskProgress & AnswerNotes): task is CompletedTask {
  return task.status === 'completed' && task.results !== undefined;
}
