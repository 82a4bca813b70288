import { MailproofError } from './mailproof-error.ts';

/** The body of a request: text, a file, or a stream. */
export type FetchBody = string | Blob | ReadableStream<Uint8Array>;

/** The part of `fetch` that the client uses. The global one fits, and so does any other with this signature. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: FetchBody;
    /** Set if the body is a stream, which is sent before the answer is read. */
    duplex?: 'half';
    signal: AbortSignal;
    redirect: 'error';
  },
) => Promise<{
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
  body?: ReadableStream<Uint8Array> | null;
}>;

/** The clock and the chance that the client uses; tests pass their own. */
export type ClientParts = {
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it is aborted. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** From 0 up to 1, 1 excluded. */
  random(): number;
  /** Milliseconds since the epoch. */
  now(): number;
};

export const systemParts: ClientParts = {
  random: () => Math.random(),
  now: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      const giveUp = () => {
        clearTimeout(timer);
        reject(reasonOf(signal));
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      }, ms);
      if (signal?.aborted === true) giveUp();
      else signal?.addEventListener('abort', giveUp, { once: true });
    }),
};

/** Returns the reason of an abort as an error: any other reason is wrapped. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}

/** Every wait of the client and every number of tries, in one place. */
export type ClientLimits = {
  /** How long one attempt of a request may take, its body included. */
  attemptMs: number;
  /** The same for a file that is uploaded: sent, and looked through by the service. */
  uploadMs: number;
  /** Attempts of one request, the first included. */
  attempts: number;
  /** Wait before the second attempt; it doubles with each, up to the longest. Half of it is left to chance. */
  retryFirstMs: number;
  retryLongestMs: number;
  /** The longest `Retry-After` that is heeded in full. */
  retryAfterLongestMs: number;
  /** Wait before the first look at a task; it grows by half with each, up to the longest. */
  pollFirstMs: number;
  pollLongestMs: number;
  /** How long a task is waited for in all. The service completes every task within its own deadline. */
  taskMs: number;
  /** How long a list is waited for in all; the service ends every run within a day, unless it is paused. */
  listMs: number;
  /** How long a list is waited for while the service cannot be reached. */
  outageMs: number;
};

export const clientLimits: ClientLimits = {
  attemptMs: 60_000,
  uploadMs: 1_800_000,
  attempts: 10,
  retryFirstMs: 500,
  retryLongestMs: 30_000,
  retryAfterLongestMs: 120_000,
  pollFirstMs: 100,
  pollLongestMs: 5_000,
  taskMs: 7_200_000,
  listMs: 604_800_000,
  outageMs: 3_600_000,
};

/** A request, before it is on the wire. */
export type Call = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base address, with its leading slash. */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is. */
  content?: Content | undefined;
  /** Done twice it is done once, so that it may be sent again though it has no idempotency key. */
  isRepeatable?: boolean;
  /** The answer is a file. Its stream is returned, and the caller's signal ends it. */
  isDownload?: boolean;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal | undefined;
};

export type Content = {
  type: string;
  /** Called for each attempt. */
  open: () => FetchBody;
  /** A stream that was handed over can be sent once. */
  isOneShot: boolean;
};

/** The parts of an answer that every endpoint has. */
export type Answer = {
  status: number;
  requestId: string | undefined;
  creditsUsed: number;
  /** As the header has it: seconds or a date. */
  retryAfter: string | null;
  /** Undefined if it was not JSON. */
  body: unknown;
  download?: Download | undefined;
};

export type Download = {
  stream: ReadableStream<Uint8Array>;
  contentType: string;
  /** As the header has it. */
  disposition: string | null;
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
      ...bodyOf(call),
      signal: deadline.signal,
      // A redirect could turn a POST into a GET, or send addresses to another server.
      redirect: 'error',
    });
    const download = call.isDownload === true && response.status === 200 ? downloadOf(response) : undefined;
    if (download !== undefined) deadline.lift();
    return {
      status: response.status,
      requestId: response.headers.get('x-request-id') ?? undefined,
      creditsUsed: Number(response.headers.get('x-credits-used') ?? 0),
      retryAfter: response.headers.get('retry-after'),
      body: download === undefined ? parseJson(await response.text()) : undefined,
      download,
    };
  } catch (error) {
    if (call.signal?.aborted === true) throw reasonOf(call.signal);
    const reason = deadline.isOver() ? 'no_answer_in_time' : 'network_error';
    throw new MailproofError(reason, { cause: error });
  } finally {
    deadline.end();
  }
}

function bodyOf({ body, content }: Call): { body?: FetchBody; duplex?: 'half' } {
  if (content === undefined) return body === undefined ? {} : { body: JSON.stringify(body) };
  const opened = content.open();
  return opened instanceof ReadableStream ? { body: opened, duplex: 'half' } : { body: opened };
}

function downloadOf({ headers, body }: Awaited<ReturnType<Fetch>>): Download | undefined {
  if (body === undefined || body === null) return undefined;
  const contentType = headers.get('content-type') ?? 'application/octet-stream';
  return { stream: body, contentType, disposition: headers.get('content-disposition') };
}

function headersFor({ body, content, idempotencyKey }: Call, apiKey: string): Record<string, string> {
  return {
    accept: 'application/json',
    authorization: `Bearer ${apiKey}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(content === undefined ? {} : { 'content-type': content.type }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  };
}

/** Aborts after its time or with the caller, and leaves nothing behind on the caller's signal. */
function createDeadline(ms: number, caller: AbortSignal | undefined) {
  const controller = new AbortController();
  let isOver = false;
  let isLifted = false;
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
    /** The rest is only the caller's to end. */
    lift() {
      clearTimeout(timer);
      isLifted = true;
    },
    end() {
      if (isLifted) return;
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
