import { reasonOf, type Fetch } from './client-parts.ts';
import { MailproofError } from './mailproof-error.ts';

/** A request, before it is on the wire. */
export type Call = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base address, with its leading slash. */
  path: string;
  body?: unknown;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
};

/** What came back, read as far as every endpoint has it. */
export type Answer = {
  status: number;
  requestId: string | undefined;
  creditsUsed: number;
  /** As the header has it: seconds or a date. */
  retryAfter: string | null;
  /** Undefined where it was not JSON. */
  body: unknown;
};

type ExchangeOptions = { baseUrl: string; apiKey: string; fetch: Fetch; attemptMs: number };

/** One attempt, with its own deadline. Throws the caller's abort as it is, everything else as a MailproofError. */
export async function exchange(
  call: Call,
  { baseUrl, apiKey, fetch, attemptMs }: ExchangeOptions,
): Promise<Answer> {
  const deadline = createDeadline(attemptMs, call.signal);
  try {
    const response = await fetch(`${baseUrl}${call.path}`, {
      method: call.method,
      headers: headersFor(call, apiKey),
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      signal: deadline.signal,
      // A redirect would turn a POST into a GET, or carry addresses to where nobody meant them to go.
      redirect: 'error',
    });
    return {
      status: response.status,
      requestId: response.headers.get('x-request-id') ?? undefined,
      creditsUsed: Number(response.headers.get('x-credits-used') ?? 0),
      retryAfter: response.headers.get('retry-after'),
      body: parseJson(await response.text()),
    };
  } catch (error) {
    if (call.signal?.aborted === true) throw reasonOf(call.signal);
    const reason = deadline.isOver() ? 'no_answer_in_time' : 'network_error';
    throw new MailproofError(reason, { cause: error });
  } finally {
    deadline.end();
  }
}

function headersFor({ body, idempotencyKey }: Call, apiKey: string): Record<string, string> {
  return {
    accept: 'application/json',
    authorization: `Bearer ${apiKey}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  };
}

/** Aborts after its time or with the caller, and leaves nothing behind on the caller's signal. */
function createDeadline(ms: number, caller: AbortSignal | undefined) {
  const controller = new AbortController();
  let isOver = false;
  const passOn = () => controller.abort(reasonOf(caller));
  const timer = setTimeout(() => {
    isOver = true;
    controller.abort(new Error('no answer in time'));
  }, ms);
  if (caller?.aborted === true) passOn();
  else caller?.addEventListener('abort', passOn, { once: true });
  return {
    signal: controller.signal,
    isOver: () => isOver,
    end() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', passOn);
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
