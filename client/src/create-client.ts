import { createAccountCalls, type AccountCalls } from './account-calls.ts';
import type { BulkTaskCreated, BulkTaskProgress } from './bulk-task.ts';
import type { ClientLimits } from './client-limits.ts';
import { connect } from './connect.ts';
import { systemParts, type ClientParts, type Fetch } from './client-parts.ts';
import type { Answer } from './exchange.ts';
import type { ManyAnswer } from './in-batches.ts';
import { MailproofError } from './mailproof-error.ts';
import { request } from './request.ts';
import { runTask, type CompletedTask, type RunTaskOptions } from './run-task.ts';
import type { VerificationResult } from './verification-result.ts';
import { verifyMany, type VerifyManyOptions } from './verify-many.ts';

export type ClientOptions = {
  /** Where the service is: `https://mail.example`, with or without a path. */
  baseUrl: string;
  apiKey: string;
  /** The global one unless given. */
  fetch?: Fetch;
  /** Waits and tries that shall differ from the usual ones. */
  limits?: Partial<ClientLimits>;
};

/** What the client adds to an answer, from its headers. */
export type AnswerNotes = {
  /** Credits charged for a single verification; held or charged for a task at that moment. */
  creditsUsed: number;
  requestId: string | undefined;
};

export type Client = AccountCalls & {
  /** Verifies one address. With an idempotency key it is repeated where the answer was lost. */
  verify(email: string, options?: VerifyOptions): Promise<VerificationResult & AnswerNotes>;
  /** Creates a task of 1 to 100 addresses. */
  createTask(emails: readonly string[], options?: CreateTaskOptions): Promise<BulkTaskCreated & AnswerNotes>;
  getTask(taskId: string, options?: GetTaskOptions): Promise<BulkTaskProgress & AnswerNotes>;
  /** Creates a task, or picks one up, and waits until it is completed. */
  runTask(emails: readonly string[], options?: RunTaskOptions): Promise<CompletedTask>;
  /** Verifies any number of addresses, and yields an answer for each as it comes. */
  verifyMany(
    emails: Iterable<string> | AsyncIterable<string>,
    options?: VerifyManyOptions,
  ): AsyncGenerator<ManyAnswer, void, undefined>;
};

type GetTaskOptions = { explain?: boolean | undefined; signal?: AbortSignal | undefined };
type VerifyOptions = GetTaskOptions & { idempotencyKey?: string | undefined };
type CreateTaskOptions = {
  name?: string | undefined;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
};

const singlePath = '/api/v1/email-verification';
const bulkPath = '/api/v1/bulk-email-verification';

export function createClient(options: ClientOptions, parts: ClientParts = systemParts): Client {
  const connection = connect(options, parts);
  const client: Client = {
    ...createAccountCalls(connection),
    async verify(email, { explain, idempotencyKey, signal } = {}) {
      const path = explain === true ? `${singlePath}?explain=true` : singlePath;
      const answer = await request(
        { method: 'POST', path, body: { email }, idempotencyKey, signal },
        connection,
      );
      return read(answer, isVerificationResult);
    },
    async createTask(emails, { name, idempotencyKey, signal } = {}) {
      const body = { emails, ...(name === undefined ? {} : { name }) };
      const answer = await request(
        { method: 'POST', path: bulkPath, body, idempotencyKey, signal },
        connection,
      );
      return read(answer, isTaskCreated);
    },
    async getTask(taskId, { explain, signal } = {}) {
      const path = `${bulkPath}/${encodeURIComponent(taskId)}${explain === true ? '?explain=true' : ''}`;
      return read(await request({ method: 'GET', path, signal }, connection), isTaskProgress);
    },
    runTask: (emails, taskOptions = {}) => runTask(emails, taskOptions, { ...connection, client }),
    verifyMany: (emails, manyOptions = {}) => verifyMany(emails, manyOptions, { client, parts }),
  };
  return client;
}

/** The body of a success, as far as the rest relies on it, and the notes. */
function read<Body extends object>(
  { status, body, requestId, creditsUsed }: Answer,
  isWhatWasAsked: (body: object) => body is Body,
): Body & AnswerNotes {
  if (typeof body !== 'object' || body === null || !isWhatWasAsked(body))
    throw new MailproofError('unexpected_answer', { status, requestId });
  return { ...body, creditsUsed, requestId };
}

function isVerificationResult(body: object): body is VerificationResult {
  return hasText(body, 'email') && hasText(body, 'status') && 'verification_mode' in body;
}

function isTaskCreated(body: object): body is BulkTaskCreated {
  return hasText(body, 'task_id') && 'count_processing' in body;
}

function isTaskProgress(body: object): body is BulkTaskProgress {
  return hasText(body, 'task_id') && hasText(body, 'status') && 'count_checked' in body;
}

function hasText(body: object, name: string): boolean {
  return typeof Object.entries(body).find(([key]) => key === name)?.[1] === 'string';
}
