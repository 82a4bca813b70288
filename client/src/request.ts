import type { ClientLimits } from './client-limits.ts';
import type { ClientParts, Fetch } from './client-parts.ts';
import { isErrorReason, MailproofError } from './mailproof-error.ts';
import { exchange, type Answer, type Call } from './exchange.ts';
import { retryWaitMs } from './retry-wait.ts';

/** What all requests of a client share. */
export type Connection = {
  baseUrl: string;
  apiKey: string;
  fetch: Fetch;
  limits: ClientLimits;
  parts: ClientParts;
};

type Attempt = { kind: 'answered'; answer: Answer } | { kind: 'failed'; error: MailproofError };

/**
 * A request, tried again where that is safe and may help. Safe is: every GET; a PATCH, which sets what it set before;
 * anything that was turned away before any work (503); a POST with an idempotency key, which the service answers
 * once however often it arrives, or one that sets a state, which done twice is done once. A POST without a key whose answer was lost may have been charged, and a DELETE whose
 * answer was lost would be told that there is nothing to delete, so these are not repeated.
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
