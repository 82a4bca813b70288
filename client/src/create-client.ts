import { createAccountCalls, type AccountCalls } from './account-calls.ts';
import { systemParts, type ClientLimits, type ClientParts, type Fetch } from './exchange.ts';
import { connect, hasText, readAnswer, request, type AnswerNotes } from './request.ts';
import { createListCalls, type ListCalls } from './list-calls.ts';
import { verifyMany, type ManyAnswer, type VerifyManyOptions } from './verify-many.ts';
import {
  createTaskCalls,
  runTask,
  type CompletedTask,
  type RunTaskOptions,
  type TaskCalls,
} from './task-calls.ts';
import { createWebhookCalls, type WebhookCalls } from './webhook-calls.ts';
import type { VerificationResult } from './verification-types.ts';

export type ClientOptions = {
  /** The URL of the service: `https://mail.example`, with or without a path. */
  baseUrl: string;
  apiKey: string;
  /** The global one unless given. */
  fetch?: Fetch;
  /** Waits and attempts that differ from the defaults. */
  limits?: Partial<ClientLimits>;
};

export type Client = AccountCalls &
  TaskCalls & {
    /** Verifies one address. With an idempotency key it is repeated if the answer was lost. */
    verify(email: string, options?: VerifyOptions): Promise<VerificationResult & AnswerNotes>;
    /** Creates a task, or picks one up, and waits until it is completed. */
    runTask(emails: readonly string[], options?: RunTaskOptions): Promise<CompletedTask>;
    /** Verifies any number of addresses, and yields an answer for each as it comes. */
    verifyMany(
      emails: Iterable<string> | AsyncIterable<string>,
      options?: VerifyManyOptions,
    ): AsyncGenerator<ManyAnswer, void, undefined>;
    /** Files with addresses that the service keeps and checks. */
    lists: ListCalls;
    /** URLs of yours that the service calls when something happens. */
    webhooks: WebhookCalls;
  };

type VerifyOptions = {
  explain?: boolean | undefined;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
};

const singlePath = '/api/v1/email-verification';

export function createClient(options: ClientOptions, parts: ClientParts = systemParts): Client {
  const connection = connect(options, parts);
  const tasks = createTaskCalls(connection);
  const run = (emails: readonly string[], taskOptions: RunTaskOptions = {}) =>
    runTask(emails, taskOptions, { ...connection, tasks });
  return {
    ...createAccountCalls(connection),
    ...tasks,
    async verify(email, { explain, idempotencyKey, signal } = {}) {
      const path = explain === true ? `${singlePath}?explain=true` : singlePath;
      const answer = await request(
        { method: 'POST', path, body: { email }, idempotencyKey, signal },
        connection,
      );
      return readAnswer(answer, isVerificationResult);
    },
    lists: createListCalls(connection),
    webhooks: createWebhookCalls(connection),
    runTask: run,
    verifyMany: (emails, manyOptions = {}) => verifyMany(emails, manyOptions, { runTask: run, parts }),
  };
}

function isVerificationResult(body: object): body is VerificationResult {
  return hasText(body, 'email') && hasText(body, 'status') && 'verification_mode' in body;
}
