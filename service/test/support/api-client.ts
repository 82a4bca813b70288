/**
 * The HTTP client of the tests: it shows every byte of an answer and the fate of a broken connection, and is
 * patient under overload.
 */
import {
  Agent,
  request,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkResultRecord } from '@mailproof/client';
import { until } from './until.ts';

export const singlePath = '/api/v1/email-verification';
export const bulkPath = '/api/v1/bulk-email-verification';
export const listsPath = '/api/v1/lists';

export type Call = {
  /** Default: POST. */
  method?: string;
  path: string;
  /** Goes into `Authorization: Bearer`. */
  key?: string;
  headers?: Record<string, string | string[]>;
  /** A string or bytes are sent as they are, anything else as JSON; default content type: `application/json`. */
  body?: unknown;
  /** Hangs up after this many bytes of the body, having announced all of them; the answer is lost. */
  cutAfterBytes?: number;
};

export type Answered = {
  kind: 'answered';
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The JSON object of the body; empty if there is none. */
  body: Record<string, unknown>;
  creditsUsed: string | undefined;
  requestId: string;
  /** Every byte after the status line: header fields as they were sent, then the body. */
  bytes: string;
};

/**
 * Returns the credits charged for this very request: a replay repeats the first one's figure, and is charged
 * nothing.
 */
export function chargedBy({ creditsUsed, headers }: Pick<Answered, 'creditsUsed' | 'headers'>): number {
  return headers['idempotent-replayed'] === undefined ? Number(creditsUsed) : 0;
}

/** A whole answer, or none: a connection that broke before the last byte acknowledges nothing. */
export type Answer = Answered | { kind: 'lost'; why: string };

export type ApiClient = {
  /** Sends one request, whatever its outcome. */
  send(call: Call): Promise<Answer>;
  /**
   * Returns the answer; the connection must not break. After a refusal for overload (503 with Retry-After) it asks
   * again, as clients do: a busy machine makes the service late, which no test is about. Tests of the 503 itself
   * pass `insist: false`.
   */
  ask(call: Call, options?: { insist?: boolean }): Promise<Answered>;
  verify(key: string, email: unknown, more?: Partial<Call>): Promise<Answered>;
  createTask(key: string, body: unknown, headers?: Record<string, string>): Promise<Answered>;
  readTask(key: string, taskId: unknown, query?: string): Promise<Answered>;
  /** Polls the task until `wanted` holds; default: completed. */
  readTaskUntil(key: string, taskId: unknown, wanted?: (task: Answered) => boolean): Promise<Answered>;
  /** Creates a task, which must succeed, and returns its id. */
  createdTask(key: string, emails: readonly string[]): Promise<string>;
  /** Returns the results of a completed task, with their explanations. */
  results(key: string, taskId: string): Promise<Record<string, BulkResultRecord>>;
  close(): void;
};

type ApiClientOptions = {
  /** Called for every answer before the test sees it; throws if the answer breaks a rule. */
  check?: (call: Call & { method: string }, answer: Answered) => void;
  /** How long an answer may take, however busy the machine is. */
  lostAfterMs?: number;
};

const usuallyLostAfterMs = 120_000;
/** An idle connection is dropped long before the service closes it: no request should meet that closing. */
const idleMs = 20_000;
const askAgainMs = 250;
const insistForMs = 120_000;

export function createApiClient(
  url: string,
  { check, lostAfterMs = usuallyLostAfterMs }: ApiClientOptions = {},
): ApiClient {
  const agent = new Agent({ keepAlive: true, timeout: idleMs });

  async function send(given: Call): Promise<Answer> {
    const call = { method: 'POST', ...given };
    const answer = await exchange(url, { agent, lostAfterMs }, call);
    if (answer.kind === 'answered') check?.(call, answer);
    return answer;
  }

  const ask: ApiClient['ask'] = async (call, { insist = true } = {}) => {
    const since = performance.now();
    for (;;) {
      const answer = await send(call);
      if (answer.kind === 'lost')
        throw new Error(`no answer to ${call.method ?? 'POST'} ${call.path}: ${answer.why}`);
      const turnedAway = answer.status === 503 && answer.headers['retry-after'] !== undefined;
      if (!insist || !turnedAway || performance.now() - since > insistForMs) return answer;
      await sleep(askAgainMs);
    }
  };

  const readTask: ApiClient['readTask'] = (key, taskId, query = '') =>
    ask({ method: 'GET', path: `${bulkPath}/${String(taskId)}${query}`, key });

  return {
    send,
    ask,
    verify: (key, email, more = {}) => ask({ path: singlePath, key, body: { email }, ...more }),
    createTask: (key, body, headers = {}) => ask({ path: bulkPath, key, body, headers }),
    readTask,
    readTaskUntil: (key, taskId, wanted = isCompleted) => until(() => readTask(key, taskId), wanted),
    createdTask: async (key, emails) => {
      const { status, text, body } = await ask({ path: bulkPath, key, body: { emails } });
      if (status !== 201) throw new Error(`the task was not created: ${status} ${text}`);
      return String(body['task_id']);
    },
    results: async (key, taskId) => {
      const { body } = await until(() => readTask(key, taskId, '?explain=true'), isCompleted);
      return body['results'] as Record<string, BulkResultRecord>;
    },
    close: () => agent.destroy(),
  };
}

function isCompleted({ status, text, body }: Answered): boolean {
  if (status !== 200) throw new Error(`the task is not to be read: ${status} ${text}`);
  return body['status'] === 'completed';
}

/** Sends with Node's own client, because `fetch` refuses some methods and headers that strangers may send. */
function exchange(
  url: string,
  { agent, lostAfterMs }: { agent: Agent; lostAfterMs: number },
  { method, path, key, headers, body, cutAfterBytes }: Call,
): Promise<Answer> {
  const raw = typeof body === 'string' || Buffer.isBuffer(body);
  const payload = body === undefined ? undefined : Buffer.from(raw ? body : JSON.stringify(body));
  return new Promise((resolve) => {
    const since = performance.now();
    const lost = (error?: Error) => resolve({ kind: 'lost', why: describeLoss(outgoing, since, error) });
    const outgoing = request(url + path, {
      method: method ?? 'POST',
      agent,
      timeout: lostAfterMs,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(payload === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': payload.length }),
        ...headers,
      },
    });
    outgoing.on('error', lost).on('timeout', () => outgoing.destroy());
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => void chunks.push(chunk));
      response.on('error', lost).on('aborted', () => lost());
      response.on('end', () => resolve(readAnswer(response, Buffer.concat(chunks))));
    });
    if (cutAfterBytes === undefined) outgoing.end(payload);
    else outgoing.write(payload?.subarray(0, cutAfterBytes) ?? '', () => outgoing.destroy());
  });
}

/** Describes a lost answer, to help find its cause. */
function describeLoss({ reusedSocket, socket }: ClientRequest, since: number, error?: Error): string {
  const connection = reusedSocket ? 'a connection that was used before' : 'a new connection';
  const bytes = `${socket?.bytesWritten ?? 0} bytes sent and ${socket?.bytesRead ?? 0} read over it`;
  return `${error?.message ?? 'broken off'} after ${Math.round(performance.now() - since)} ms on ${connection}, ${bytes}`;
}

function readAnswer({ statusCode = 0, headers, rawHeaders }: IncomingMessage, content: Buffer): Answered {
  const text = content.toString('utf8');
  const isJson = text !== '' && String(headers['content-type']).startsWith('application/json');
  const used = headers['x-credits-used'];
  return {
    kind: 'answered',
    status: statusCode,
    headers,
    text,
    body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
    creditsUsed: typeof used === 'string' ? used : undefined,
    requestId: String(headers['x-request-id'] ?? ''),
    bytes: `${rawHeaders.join('\n')}\n\n${content.toString('latin1')}`,
  };
}
