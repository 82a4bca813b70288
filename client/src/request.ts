import {
  clientLimits,
  exchange,
  type Answer,
  type Call,
  type ClientLimits,
  type ClientParts,
  type Fetch,
} from './exchange.ts';
import { isErrorReason, MailproofError } from './mailproof-error.ts';

/** The parts that all requests of a client share. */
export type Connection = {
  baseUrl: string;
  apiKey: string;
  fetch: Fetch;
  limits: ClientLimits;
  parts: ClientParts;
};

type Attempt = { kind: 'answered'; answer: Answer } | { kind: 'failed'; error: MailproofError };

/**
 * Sends a request, and repeats it if that is safe and may help. Every GET and PATCH is safe, and so is any request
 * that was refused before any work (503). A POST is safe if it has an idempotency key or sets a state. Any other POST
 * whose answer was lost may have been charged. A repeated DELETE would find nothing to delete. So these are not
 * repeated.
 */
export async function request(call: Call, connection: Connection): Promise<Answer> {
  const { limits, parts } = connection;
  for (let attempt = 1; ; attempt += 1) {
    const { error, retryAfter, answer } = await tryOnce(call, connection);
    if (answer !== undefined) return answer;
    if (attempt >= limits.attempts || !mayRetry(call, error)) throw error;
    await parts.wait(retryWaitMs({ attempt, retryAfter }, limits, parts), call.signal);
  }
}

type Tried =
  | { answer: Answer; error?: undefined; retryAfter?: undefined }
  | { answer?: undefined; error: MailproofError; retryAfter: string | null };

async function tryOnce(call: Call, { limits, ...options }: Connection): Promise<Tried> {
  const attemptMs = call.content === undefined ? limits.attemptMs : limits.uploadMs;
  const attempt = await attemptOnce(call, { ...options, attemptMs });
  if (attempt.kind === 'failed') return { error: attempt.error, retryAfter: null };
  const { answer } = attempt;
  if (answer.status >= 200 && answer.status < 300) return { answer };
  return { error: errorFrom(answer), retryAfter: answer.retryAfter };
}

async function attemptOnce(call: Call, options: Parameters<typeof exchange>[1]): Promise<Attempt> {
  try {
    return { kind: 'answered', answer: await exchange(call, options) };
  } catch (error) {
    if (error instanceof MailproofError) return { kind: 'failed', error };
    throw error;
  }
}

function errorFrom({ status, requestId, body }: Answer): MailproofError {
  const reason = typeof body === 'object' && body !== null && 'reason' in body ? body.reason : undefined;
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : undefined;
  return new MailproofError(isErrorReason(reason) ? reason : 'unexpected_answer', {
    status,
    requestId,
    detail: typeof detail === 'string' ? detail : undefined,
  });
}

function mayRetry(call: Call, { reason, status }: MailproofError): boolean {
  const { method, path, content } = call;
  if (content?.isOneShot === true) return false;
  if (status === 503 || reason === 'too_many_uploads' || reason === 'rate_limited') return true;
  if ((method === 'POST' || method === 'DELETE') && !isRepeatable(call)) return false;
  if (status === undefined) return true;
  if (reason === 'request_in_progress') return true;
  // To a single verification these are answers: no verdict was to be had, or not in time.
  const isSingle = path.startsWith('/api/v1/email-verification');
  return !(isSingle && reason !== 'unexpected_answer') && [500, 502, 504].includes(status);
}

function isRepeatable(call: Call): boolean {
  return call.idempotencyKey !== undefined || call.isRepeatable === true;
}

type Refused = {
  /** Attempts made so far, at least 1. */
  attempt: number;
  /** The header `Retry-After`, seconds or a date (RFC 9110 section 10.2.3). */
  retryAfter: string | null;
};

/**
 * Returns the wait before the next attempt, at least as long as the service asked for, up to a limit. Chance spreads
 * it: otherwise clients that were refused together would return together.
 */
export function retryWaitMs(
  { attempt, retryAfter }: Refused,
  limits: ClientLimits,
  { random, now }: Pick<ClientParts, 'random' | 'now'>,
): number {
  const grown = Math.min(limits.retryFirstMs * 2 ** (attempt - 1), limits.retryLongestMs);
  const asked = Math.min(askedMs(retryAfter, now()), limits.retryAfterLongestMs);
  const spread = grown * random();
  return Math.round(asked > 0 ? asked + spread / 2 : grown / 2 + spread / 2);
}

function askedMs(retryAfter: string | null, now: number): number {
  if (retryAfter === null) return 0;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  const date = retryAfter.endsWith(' GMT') ? Date.parse(retryAfter) : NaN;
  return Number.isNaN(date) ? 0 : Math.max(date - now, 0);
}

type Destination = {
  baseUrl: string;
  apiKey: string;
  fetch?: Fetch;
  limits?: Partial<ClientLimits>;
};

/** Invalid options are rejected before anything is sent. The key is never part of a message. */
export function connect({ baseUrl, apiKey, fetch, limits }: Destination, parts: ClientParts): Connection {
  const url = parseUrl(baseUrl);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new TypeError('baseUrl must be an http or https URL without a query or fragment');
  if (url.username !== '' || url.password !== '')
    throw new TypeError('baseUrl must not contain a user name or password');
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey must consist of visible ASCII characters');
  return {
    baseUrl: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    apiKey,
    fetch: fetch ?? ((address, init) => globalThis.fetch(address, init)),
    limits: { ...clientLimits, ...limits },
    parts,
  };
}

/** Returns undefined if the text is not a URL. `URL.parse` is younger than fetch in many places. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

export type CallOptions = { signal?: AbortSignal | undefined };
export type PageOptions = CallOptions & { limit?: number | undefined; before?: string | undefined };

/** Sends a request and returns its body if it looks like an answer of our service. */
export function createAsk(connection: Connection) {
  return async <Body extends object>(
    call: Call,
    isWhatWasAsked: (body: object) => body is Body,
  ): Promise<Body> => {
    const { status, body, requestId } = await request(call, connection);
    if (typeof body === 'object' && body !== null && isWhatWasAsked(body)) return body;
    throw new MailproofError('unexpected_answer', { status, requestId });
  };
}

export function holdsList<Body extends object>(name: keyof Body & string) {
  return (body: object): body is Body =>
    Object.entries(body).some(([key, value]) => key === name && Array.isArray(value));
}

export function queryOf(parameters: Record<string, string | number | undefined>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

/** Fields that the client adds to an answer, from its headers. */
export type AnswerNotes = {
  /** Credits charged for a single verification; reserved or charged for a task at that moment. */
  creditsUsed: number;
  requestId: string | undefined;
};

/** The body of a success, checked as far as the rest relies on it, with the notes. */
export function readAnswer<Body extends object>(
  { status, body, requestId, creditsUsed }: Answer,
  isWhatWasAsked: (body: object) => body is Body,
): Body & AnswerNotes {
  if (typeof body !== 'object' || body === null || !isWhatWasAsked(body))
    throw new MailproofError('unexpected_answer', { status, requestId });
  return { ...body, creditsUsed, requestId };
}

export function hasText(body: object, name: string): boolean {
  return typeof Object.entries(body).find(([key]) => key === name)?.[1] === 'string';
}
