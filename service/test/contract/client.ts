/**
 * Speaks HTTP with the running service and holds every single answer against the contract before a test sees it:
 * the OpenAPI document that the service itself hands out, the headers, and the shapes of the interface.
 */
import assert from 'node:assert/strict';
import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { assertEveryAnswer } from './every-answer.ts';
import { createDocumentCheck } from './openapi-check.ts';

export const single = '/api/v1/email-verification';
export const bulk = '/api/v1/bulk-email-verification';

export type Ask = {
  method?: string;
  path?: string;
  /** Goes into `Authorization: Bearer`. */
  key?: string;
  headers?: Record<string, string | string[]>;
  /** A string or bytes go out as they are, anything else as JSON; `application/json` unless a header says otherwise. */
  body?: unknown;
};

export type Answer = {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The JSON object of the body; empty where there is none. */
  body: Record<string, unknown>;
};

export type Client = {
  ask(given: Ask): Promise<Answer>;
  verify(
    key: string,
    email: unknown,
    more?: { path?: string; headers?: Record<string, string> },
  ): Promise<Answer>;
  createTask(key: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  readTask(key: string, taskId: unknown, query?: string): Promise<Answer>;
  /** Asks for the task until it is as wanted, which has to come true within half a minute. */
  readTaskUntil(key: string, taskId: unknown, wanted: (task: Answer) => boolean): Promise<Answer>;
};

export async function createClient(url: string): Promise<Client> {
  const agent = new Agent({ keepAlive: true });
  const document: unknown = JSON.parse(
    (await send(url, agent, { method: 'GET', path: '/openapi.json' })).text,
  );
  const holdsDocument = createDocumentCheck(document);
  const requestIds = new Set<string>();

  async function ask(given: Ask): Promise<Answer> {
    const asked = { method: 'POST', path: single, ...given };
    const answer = await send(url, agent, asked);
    const id = String(answer.headers['x-request-id']);
    assert.ok(!requestIds.has(id), `X-Request-Id ${id} was used before`);
    requestIds.add(id);
    assertEveryAnswer(asked, answer);
    holdsDocument(asked, answer);
    return answer;
  }

  const readTask: Client['readTask'] = (key, taskId, query = '') =>
    ask({ method: 'GET', path: `${bulk}/${String(taskId)}${query}`, key });

  return {
    ask,
    verify: (key, email, more = {}) => ask({ key, body: { email }, ...more }),
    createTask: (key, body, headers = {}) => ask({ path: bulk, key, body, headers }),
    readTask,
    readTaskUntil: (key, taskId, wanted) => until(() => readTask(key, taskId), wanted),
  };
}

const patienceMs = 30_000;
const lookEveryMs = 40;

/** Looks again and again until what is seen is as wanted, and fails when half a minute has passed. */
export async function until<T>(look: () => T | Promise<T>, wanted: (seen: T) => boolean): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (wanted(seen)) return seen;
    if (performance.now() > deadline) throw new Error(`waited in vain; last seen: ${describe(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}

function describe(seen: unknown): string {
  return JSON.stringify(seen).slice(0, 2_000);
}

/** Node's own client, because `fetch` refuses some methods and headers that a stranger may well send. */
function send(
  url: string,
  agent: Agent,
  { method = 'POST', path = '/', key, headers, body }: Ask,
): Promise<Answer> {
  const raw = typeof body === 'string' || Buffer.isBuffer(body);
  const payload = body === undefined ? undefined : Buffer.from(raw ? body : JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}`, {
      method,
      agent,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(payload === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': payload.length }),
        ...headers,
      },
    });
    outgoing.once('error', reject);
    outgoing.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const json = text !== '' && String(response.headers['content-type']).startsWith('application/json');
        const parsed = json ? (JSON.parse(text) as Record<string, unknown>) : {};
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed });
      });
    });
    outgoing.end(payload);
  });
}
