import { request as openRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Patience } from '@mailproof/engine';
import {
  openConnection,
  within,
  type ConnectionFailure,
  type OutgoingParts,
  type Waiting,
} from './open-connection.ts';

/** Why there is no answer. A server that says no has answered. */
export type FetchFailure = ConnectionFailure['why'] | 'closed_early' | 'answer_too_large';

export class FetchError extends Error {
  readonly why: FetchFailure;

  constructor(why: FetchFailure) {
    super(`no answer: ${why}`);
    this.name = 'FetchError';
    this.why = why;
  }
}

/** What is sent; as much of the web's own `fetch` as a library that takes one in its place needs. */
export type FetchInit = {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: unknown;
};

type GuardedFetch = (url: string, init: FetchInit) => Promise<Response>;

/**
 * `fetch` through the egress guard: all that is asked with it is answered before one deadline, and no answer is larger
 * than it may be. A redirect is an answer like any other and leads nowhere.
 */
export function createGuardedFetch(
  parts: OutgoingParts,
  { bodyBytes, ...patience }: Patience & { bodyBytes: number },
): GuardedFetch {
  return async (target, init) => {
    const url = new URL(target);
    const opened = await openConnection(url, parts, patience);
    if (opened.kind === 'failed') throw new FetchError(opened.why);
    try {
      const asking = { url, init, bodyBytes };
      const outcome = await exchange(opened.socket, asking, { clock: parts.clock, patience });
      if (outcome.kind === 'failed') throw new FetchError(outcome.why);
      return responseOf(outcome);
    } finally {
      opened.socket.destroy();
    }
  };
}

type Outcome =
  { kind: 'answered'; head: IncomingMessage; body: Buffer } | { kind: 'failed'; why: FetchFailure };

function exchange(
  socket: Socket,
  { url, init, bodyBytes }: { url: URL; init: FetchInit; bodyBytes: number },
  waiting: Waiting,
): Promise<Outcome> {
  // Parameters of a form are all that is ever sent.
  const body = init.body instanceof URLSearchParams ? init.body.toString() : undefined;
  return within<Outcome>(waiting, {
    begin: (settle) => {
      const closed = () => settle({ kind: 'failed', why: 'closed_early' });
      const sent = openRequest({
        method: init.method,
        path: `${url.pathname}${url.search}`,
        headers: {
          ...init.headers,
          host: url.host,
          connection: 'close',
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
        createConnection: () => socket,
      });
      sent.on('error', closed);
      sent.once('close', closed);
      sent.once('response', (head) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        head.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > bodyBytes) settle({ kind: 'failed', why: 'answer_too_large' });
        });
        head.on('error', closed);
        head.once('end', () => settle({ kind: 'answered', head, body: Buffer.concat(chunks) }));
      });
      sent.end(body);
    },
    onTimeout: () => ({ kind: 'failed', why: 'timeout' }),
  });
}

function responseOf({ head, body }: Outcome & { kind: 'answered' }): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(head.headers)) headers.set(name, String(value));
  const status = head.statusCode ?? 0;
  // The web's response takes no status below 200 and no body with these.
  if (status < 200 || status > 599) throw new FetchError('closed_early');
  return new Response([204, 205, 304].includes(status) ? null : new Uint8Array(body), { status, headers });
}
