/**
 * A stand-in of the API on loopback, for tests of clients. It has the contract's three endpoints and lists, with keys,
 * credits, idempotency and refusals, and faults of the network on demand. It verifies nothing: the local part decides
 * the verdict.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  endStandInList,
  lookAtStandInList,
  startStandInList,
  surveyStandInList,
  writeStandInList,
  type StandInList,
} from './stand-in-lists.ts';
import { verdictOf } from './stand-in-verdicts.ts';
import type { BulkResultRecord } from '../../src/verification-types.ts';
import type { ErrorReason } from '../../src/mailproof-error.ts';

/** Faults of a request: refused, its answer lost before or after the work, or cut off in the middle. */
export type Fault = 'none' | 'refuse' | 'lose_request' | 'lose_answer' | 'cut_answer';

type StandInOptions = {
  credits?: number;
  /** Looked at for each request in turn. */
  faultOf?: (request: { method: string; path: string; number: number }) => Fault;
  /** How often a task or a list is looked at before it is completed. */
  looksPerTask?: number;
  /** Asked at each look at a task that holds an address that begins with `slow`: whether it is answered by now. */
  areSlowDone?: () => boolean;
  retryAfter?: string;
};

export type StandIn = {
  url: string;
  apiKey: string;
  counts: {
    requests: number;
    tasks: number;
    lists: number;
    replays: number;
    verified: number;
    spent: number;
  };
  /** Tasks that are forgotten are answered with 404. */
  forgetTasks(): void;
  /** Uploads in their order, as the service knows them. */
  lists(): StandInList['record'][];
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
  list_not_found: 404,
  invalid_list: 400,
  wrong_list_state: 409,
  idempotency_mismatch: 422,
  insufficient_credits: 429,
  service_unavailable: 503,
};

export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const { credits = 1_000_000_000, faultOf = () => 'none', retryAfter = '0' } = options;
  const counts = { requests: 0, tasks: 0, lists: 0, replays: 0, verified: 0, spent: 0 };
  const book: Book = {
    available: credits,
    tasks: new Map(),
    lists: new Map(),
    uploads: new Map(),
    answers: new Map(),
  };
  const parts: Parts = { book, counts, looksPerTask: 1, areSlowDone: () => true, ...options };
  const server = createServer((request, response) => {
    void respond(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    counts.requests += 1;
    const fault = faultOf({
      method: request.method ?? '',
      path: request.url ?? '',
      number: counts.requests,
    });
    if (fault === 'lose_request') return void request.socket.destroy();
    const answer = fault === 'refuse' ? refusal('service_unavailable') : answerTo(request, body, parts);
    if (fault === 'lose_answer') return void request.socket.destroy();
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      ...answer.headers,
      'x-request-id': `request-${counts.requests}`,
      'x-credits-used': String(answer.credits),
      ...(answer.status === 503 ? { 'retry-after': retryAfter } : {}),
    });
    if (fault === 'cut_answer') response.write(answer.body.slice(0, -1), () => request.socket.destroy());
    else response.end(answer.body);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey,
    counts,
    forgetTasks: () => book.tasks.clear(),
    lists: () => [...book.lists.values()].map(({ record }) => record),
    grant(more) {
      book.available += more;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Answer = { status: number; credits: number; body: string; headers?: Record<string, string> };
type Kept = { hash: string; answer: Answer };
type Book = {
  available: number;
  tasks: Map<string, Task>;
  lists: Map<string, StandInList>;
  /** By idempotency key. */
  uploads: Map<string, { hash: string; listId: string }>;
  answers: Map<string, Kept>;
};
type Parts = {
  book: Book;
  counts: StandIn['counts'];
  looksPerTask: number;
  areSlowDone: () => boolean;
};

function answerTo(request: IncomingMessage, content: Buffer, parts: Parts): Answer {
  const url = new URL(request.url ?? '', 'http://stand-in.test');
  const { pathname, searchParams } = url;
  if (request.headers.authorization !== `Bearer ${apiKey}`) return refusal('invalid_api_key');
  if (pathname === '/api/v1/account') return readAccount(parts);
  if (pathname.startsWith('/api/v1/lists')) return answerAboutLists(request, { url, content }, parts);
  const text = content.toString('utf8');
  const explain = searchParams.get('explain') === 'true';
  const taskId = /^\/api\/v1\/bulk-email-verification\/([^/]+)$/.exec(pathname)?.[1];
  if (request.method === 'GET' && taskId !== undefined) return readTask(taskId, explain, parts);
  const key = request.headers['idempotency-key'];
  const answer = () =>
    pathname === '/api/v1/email-verification' ? verifyOne(text, explain, parts) : createTask(text, parts);
  if (!/^\/api\/v1\/(?:bulk-)?email-verification$/.test(pathname)) return refusal('not_found');
  return typeof key === 'string'
    ? answerOnce({ key, hash: hashOf(pathname, text) }, answer, parts)
    : answer();
}

/** Keeps a success only: a refused request may be tried again under the same key. */
function answerOnce(
  { key, hash }: { key: string; hash: string },
  answer: () => Answer,
  parts: Parts,
): Answer {
  const kept = parts.book.answers.get(key);
  if (kept !== undefined) {
    if (kept.hash !== hash) return refusal('idempotency_mismatch');
    parts.counts.replays += 1;
    return kept.answer;
  }
  const first = answer();
  if (first.status < 300) parts.book.answers.set(key, { hash, answer: first });
  return first;
}

function verifyOne(text: string, explain: boolean, { book, counts }: Parts): Answer {
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

function createTask(text: string, { book, counts }: Parts): Answer {
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

function readTask(id: string, explain: boolean, { book, looksPerTask, areSlowDone }: Parts): Answer {
  const task = book.tasks.get(id);
  if (task === undefined) return refusal('task_not_found');
  task.looks += 1;
  const slow = areSlowDone() ? 0 : task.emails.filter((email) => email.startsWith('slow')).length;
  const completed = task.looks >= looksPerTask && slow === 0;
  const total = task.emails.length;
  const seen = Math.min(task.looks / looksPerTask, 1);
  const checked = completed ? total : Math.floor((total - slow) * seen);
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

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

function readAccount({ book, counts }: Parts): Answer {
  const { spent } = counts;
  const { available } = book;
  const credits = { granted: available + spent, available, reserved: 0, spent };
  const key = { key_id: 'standin', name: 'stand-in', mode: 'live' };
  const body = { account_id: 'stand-in', name: 'Stand-in', plan: 'paid', credits, frozen: false, key };
  return { status: 200, credits: 0, body: JSON.stringify(body) };
}

type ListCall = { url: URL; content: Buffer };

function answerAboutLists(request: IncomingMessage, call: ListCall, parts: Parts): Answer {
  const { book } = parts;
  const [listId, action] = call.url.pathname.split('/').slice(4);
  if (listId === undefined) {
    if (request.method === 'POST') return upload(request, call, parts);
    const lists = [...book.lists.values()].map(({ record }) => record).toReversed();
    return show({ lists, next: null });
  }
  const list = book.lists.get(listId);
  if (list === undefined) return refusal('list_not_found');
  const { searchParams } = call.url;
  if (request.method === 'GET' && action === 'rows') return readRows(list, searchParams);
  if (request.method === 'GET' && action === 'download') return download(list, searchParams);
  if (request.method === 'GET') settle(lookAtStandInList(list, parts.looksPerTask), list, parts);
  if (request.method === 'DELETE') {
    book.lists.delete(listId);
    return { status: 204, credits: 0, body: '' };
  }
  if (request.method === 'PATCH') Object.assign(list.record, JSON.parse(call.content.toString()));
  if (request.method === 'POST') return actOn(list, { action: action ?? '', content: call.content }, parts);
  return show(list.record);
}

function upload(request: IncomingMessage, { url, content }: ListCall, { book, counts }: Parts): Answer {
  const key = request.headers['idempotency-key'];
  const hash = hashOf(url.search, content.toString('latin1'));
  const earlier = typeof key === 'string' ? book.uploads.get(key) : undefined;
  if (earlier !== undefined) {
    const list = book.lists.get(earlier.listId);
    if (earlier.hash !== hash || list === undefined) return refusal('idempotency_mismatch');
    counts.replays += 1;
    return { ...show(list.record), status: 201 };
  }
  const { searchParams } = url;
  const column = searchParams.get('column') ?? undefined;
  const list = surveyStandInList(content, {
    name: searchParams.get('name') ?? 'List',
    column,
    sandbox: false,
  });
  if (list === undefined) {
    const detail = 'We found no email addresses in this file.';
    return { ...show({ status: 'error', reason: 'invalid_list', detail }), status: 400 };
  }
  counts.lists += 1;
  book.lists.set(list.record.list_id, list);
  if (typeof key === 'string') book.uploads.set(key, { hash, listId: list.record.list_id });
  return { ...show(list.record), status: 201 };
}

type ListAction = { action: string; content: Buffer };

/** A repeated request is done once; a start under the same key is the caller's own first start. */
function actOn(list: StandInList, { action, content }: ListAction, { book, counts }: Parts): Answer {
  const { record } = list;
  switch (action) {
    case 'start': {
      if (record.state !== 'surveyed') return { ...show(record), status: 202 };
      const { first } = JSON.parse(content.toString()) as { first?: number };
      if (book.available < Math.min(first ?? Infinity, record.addresses))
        return refusal('insufficient_credits');
      startStandInList(list, first);
      counts.verified += record.wanted;
      book.available -= record.wanted;
      return { ...show(record), status: 202 };
    }
    case 'pause':
    case 'resume':
      if (record.state !== 'running' && record.state !== 'paused') return refusal('wrong_list_state');
      record.state = action === 'pause' ? 'paused' : 'running';
      return show(record);
    case 'cancel':
      if (record.state === 'surveyed' || record.state === 'completed') return refusal('wrong_list_state');
      endStandInList(list, 'cancelled');
      return show(record);
    default:
      return refusal('not_found');
  }
}

/** Charges what a run that has just ended came to, and returns the rest. */
function settle(charge: number, { record, looks }: StandInList, { book, counts, looksPerTask }: Parts): void {
  if (record.state !== 'completed' || looks !== looksPerTask || charge === 0) return;
  book.available += record.wanted - charge;
  counts.spent += charge;
}

const rowsPerPage = 3;

function readRows({ lines }: StandInList, query: URLSearchParams): Answer {
  const after = Number(query.get('after') ?? 0);
  const status = query.get('status');
  const rows = lines
    .flatMap(({ row }) => row ?? [])
    .filter((row) => row.row > after && (status === null || row.status === status));
  const page = rows.slice(0, rowsPerPage);
  return show({ rows: page, next: rows.length > page.length ? String(page.at(-1)?.row) : null });
}

function download(list: StandInList, query: URLSearchParams): Answer {
  const rows = query.get('rows') ?? 'all';
  const presets: Record<string, string[]> = { sendable: ['safe', 'role_account'] };
  const statuses = rows === 'all' ? undefined : (presets[rows] ?? rows.split(','));
  const format = query.get('format') ?? 'csv';
  const name = encodeURIComponent(`${list.record.name}-checked.${format}`);
  return {
    status: 200,
    credits: 0,
    body: writeStandInList(list, { statuses, format }),
    headers: { 'content-type': 'text/csv', 'content-disposition': `attachment; filename*=UTF-8''${name}` },
  };
}

function show(body: object): Answer {
  return { status: 200, credits: 0, body: JSON.stringify(body) };
}
