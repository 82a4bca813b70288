import { MailproofError } from '@mailproof/client';

export type Call = {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path from the root of the service, with its leading slash. */
  path: string;
  body?: unknown;
};

type CallParts = {
  baseUrl: string;
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  wait: (ms: number) => Promise<void>;
};

const attemptMs = 20_000;
const attempts = 6;
const waitSeconds = { usual: 2, longest: 15 };

/**
 * Exchanges JSON and returns the body; throws CallFailed. If the service is busy, the call is repeated after the time
 * that it names: every call made this way may run twice.
 */
export async function call(wanted: Call, parts: CallParts): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await callOnce(wanted, parts);
    } catch (error) {
      if (!(error instanceof CallFailed) || error.failure.status !== 503 || attempt === attempts) throw error;
      const { usual, longest } = waitSeconds;
      await parts.wait(Math.min(error.failure.retryAfterSeconds ?? usual, longest) * 1_000);
    }
  }
}

async function callOnce({ method, path, body }: Call, { baseUrl, fetch }: CallParts): Promise<unknown> {
  const deadline = AbortSignal.timeout(attemptMs);
  const init: RequestInit = {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: deadline,
    redirect: 'error',
  };
  const { response, text } = await exchange(`${baseUrl}${path}`, init, fetch).catch((error: unknown) => {
    const reason = deadline.aborted ? 'no_answer_in_time' : 'network_error';
    throw new CallFailed({ reason, status: undefined, requestId: undefined }, error);
  });
  return readAnswer({
    text,
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    retryAfter: response.headers.get('retry-after'),
  });
}

type AnswerText = { text: string; status: number; requestId: string | null; retryAfter: string | null };

/** Returns the body of a success; otherwise throws CallFailed with the reason of the service. */
export function readAnswer({ text, status, requestId, retryAfter }: AnswerText): unknown {
  const answer = parseJson(text);
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && (text === '' || answer !== undefined)) return answer;
  throw new CallFailed({
    reason: textIn(answer, 'reason') ?? 'unexpected_answer',
    detail: textIn(answer, 'detail'),
    status,
    requestId: requestId ?? undefined,
    retryAfterSeconds: secondsIn(retryAfter),
  });
}

async function exchange(url: string, init: RequestInit, fetch: CallParts['fetch']) {
  const response = await fetch(url, init);
  return { response, text: await response.text() };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textIn(body: unknown, field: 'reason' | 'detail'): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const text: unknown = (body as Record<string, unknown>)[field];
  return typeof text === 'string' ? text : undefined;
}

function secondsIn(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}

/** The reason of a failed call, from the service or from the connection to it. */
export type Failure = {
  reason: string;
  status: number | undefined;
  requestId: string | undefined;
  /** An explanation of the service, for example why a file is no list. */
  detail?: string | undefined;
  /** Seconds until a retry, if the service named them. */
  retryAfterSeconds?: number | undefined;
};

/** Thrown by calls of the console without an answer or without success. */
export class CallFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, cause?: unknown) {
    super(failure.reason, { cause });
    this.failure = failure;
  }
}

/** Returns the failure of an error; rethrows anything else, which is a defect of ours. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CallFailed) return error.failure;
  if (error instanceof MailproofError) {
    const { reason, status, requestId, detail } = error;
    return { reason, status, requestId, detail };
  }
  throw error;
}

/** Returns an idempotency key; it is not secret. `randomUUID` is missing in pages over plain http. */
export function randomKey(): string {
  return `console-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
}
