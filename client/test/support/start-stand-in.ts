/**
 * A stand-in of the API on loopback, for tests of whoever speaks to it: the contract's three endpoints with
 * keys, credits, idempotency and refusals, and faults of the network on demand. It verifies nothing: the verdict
 * is told by the local part.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verdictOf } from './stand-in-verdicts.ts';
import type { BulkResultRecord } from '../../src/bulk-task.ts';
import type { ErrorReason } from '../../src/error-body.ts';

/** What may befall a request: refused, or its answer lost, before or after the work was done. */
export type Fault = 'none' | 'refuse' | 'lose_request' | 'lose_answer';

type StandInOptions = {
  credits?: number;
  /** Looked at for each request in turn. */
  faultOf?: (request: { method: string; number: number }) => Fault;
  /** How often a task is looked at before it is completed. */
  looksPerTask?: number;
  retryAfter?: string;
};

export type StandIn = {
  url: string;
  apiKey: string;
  counts: { requests: number; tasks: number; replays: number; verified: number; spent: number };
  /** Tasks that are forgotten are answered with 404. */
  forgetTasks(): void;
  grant(credits: number): void;
  stop(): Promise<void>;
};

type Task = { id: string; name: string; emails: string[]; looks: number; charge: number };

const apiKey = 'mp_live_standin0';
const statuses: Partial<Record<ErrorReason, number>> = {
  invalid_email: 400,
  invalid_batch: 400,
  invalid_api_key: 401,
  task_not_found: 404,
  not_found: 404,
  idempotency_mismatch: 422,
  insufficient_credits: 429,
  service_unavailable: 503,
};

export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const { credits = 1_000_000_000, faultOf = () => 'none', retryAfter = '0' } = options;
  const counts = { requests: 0, tasks: 0, replays: 0, verified: 0, spent: 0 };
  const book = { available: credits, tasks: new Map<string, Task>(), answers: new Map<string, Kept>() };
  const server = createServer((request, response) => {
    void respond(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    counts.requests += 1;
    const fault = faultOf({ method: request.method ?? '', number: counts.requests });
    if (fault === 'lose_request') return void request.socket.destroy();
    const answer =
      fault === 'refuse'
        ? refusal('service_unavailable')
        : answerTo(request, body, { book, counts, looksPerTask: options.looksPerTask ?? 1 });
    if (fault === 'lose_answer') return void request.socket.destroy();
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      'x-request-id': `request-${counts.requests}`,
      'x-credits-used': String(answer.credits),
      ...(answer.status === 503 ? { 'retry-after': retryAfter } : {}),
    });
    response.end(answer.body);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey,
    counts,
    forgetTasks: () => book.tasks.clear(),
    grant(more) {
      book.available += more;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Answer = { status: number; credits: number; body: string };
type Kept = { hash: string; answer: Answer };
type Book = { available: number; tasks: Map<string, Task>; answers: Map<string, Kept> };
type ServiceState = { book: Book; counts: StandIn['counts']; looksPerTask: number };

function answerTo(request: IncomingMessage, text: string, state: ServiceState): Answer {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://stand-in.test');
  if (request.headers.authorization !== `Bearer ${apiKey}`) return refusal('invalid_api_key');
  const explain = searchParams.get('explain') === 'true';
  const taskId = /^\/api\/v1\/bulk-email-verification\/([^/]+)$/.exec(pathname)?.[1];
  if (request.method === 'GET' && taskId !== undefined) return readTask(taskId, explain, state);
  const key = request.headers['idempotency-key'];
  const answer = () =>
    pathname === '/api/v1/email-verification' ? verifyOne(text, explain, state) : createTask(text, state);
  if (!/^\/api\/v1\/(?:bulk-)?email-verification$/.test(pathname)) return refusal('not_found');
  return typeof key === 'string'
    ? answerOnce({ key, hash: hashOf(pathname, text) }, answer, state)
    : answer();
}

/** Only a success is kept: what was refused may be tried again under the same key. */
function answerOnce(
  { key, hash }: { key: string; hash: string },
  answer: () => Answer,
  state: ServiceState,
): Answer {
  const kept = state.book.answers.get(key);
  if (kept !== undefined) {
    if (kept.hash !== hash) return refusal('idempotency_mismatch');
    state.counts.replays += 1;
    return kept.answer;
  }
  const first = answer();
  if (first.status < 300) state.book.answers.set(key, { hash, answer: first });
  return first;
}

function verifyOne(text: string, explain: boolean, { book, counts }: ServiceState): Answer {
  const { email } = JSON.parse(text) as { email?: unknown };
  if (typeof email !== 'string' || !isAddress(email)) return refusal('invalid_email');
  if (book.available < 1) return refusal('insufficient_credits');
  const record = verdictOf(email, explain);
  const charge = record.status === 'unknown' ? 0 : 1;
  book.available -= charge;
  counts.verified += 1;
  counts.spent += charge;
  return { status: 200, credits: charge, body: JSON.stringify(record) };
}

function createTask(text: string, { book, counts }: ServiceState): Answer {
  const { emails, name } = JSON.parse(text) as { emails?: unknown; name?: string };
  if (!Array.isArray(emails) || emails.length < 1 || emails.length > 100) return refusal('invalid_batch');
  const valid = emails.map((email) => String(email).trim()).filter(isAddress);
  const firsts = new Map(valid.toReversed().map((email) => [email.toLowerCase(), email]));
  const kept = [...firsts.values()].toReversed();
  if (book.available < emails.length) return refusal('insufficient_credits');
  const charge = kept.filter((email) => verdictOf(email, false).status !== 'unknown').length;
  const task = { id: randomUUID(), name: `API: ${name ?? 'a task'}`, emails: kept, looks: 0, charge };
  book.tasks.set(task.id, task);
  book.available -= charge;
  counts.tasks += 1;
  counts.verified += kept.length;
  counts.spent += charge;
  const body = {
    status: 'success',
    task_id: task.id,
    count_submitted: emails.length,
    count_duplicates_removed: valid.length - kept.length,
    count_rejected_emails: emails.length - valid.length,
    count_processing: kept.length,
  };
  return { status: 201, credits: kept.length, body: JSON.stringify(body) };
}

function readTask(id: string, explain: boolean, { book, looksPerTask }: ServiceState): Answer {
  const task = book.tasks.get(id);
  if (task === undefined) return refusal('task_not_found');
  task.looks += 1;
  const completed = task.looks >= looksPerTask;
  const total = task.emails.length;
  const checked = completed ? total : Math.floor((total * task.looks) / looksPerTask);
  const results: Record<string, BulkResultRecord> = {};
  if (completed) for (const email of task.emails) results[email] = verdictOf(email, explain);
  const body = {
    task_id: id,
    name: task.name,
    status: completed ? 'completed' : 'running',
    count_total: total,
    count_checked: checked,
    progress_percentage: total === 0 ? 100 : (100 * checked) / total,
    ...(completed ? { results } : {}),
  };
  return { status: 200, credits: completed ? task.charge : total, body: JSON.stringify(body) };
}

function refusal(reason: ErrorReason): Answer {
  return { status: statuses[reason] ?? 500, credits: 0, body: JSON.stringify({ status: 'error', reason }) };
}

function isAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(text);
}

function hashOf(path: string, text: string): string {
  return createHash('sha256').update(path).update('\n').update(text).digest('hex');
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
}
