import { request as openRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebhookAttemptOutcome } from '@mailproof/client';
import {
  openConnection,
  within,
  type OutgoingParts,
  type Waiting,
} from '../../core/http/outgoing/open-connection.ts';
import { webhookLimits } from './webhook-limits.ts';

/**
 * One attempt to deliver a message: connect through the egress guard (see outgoing/open-connection.ts), post, and read
 * how the answer begins. A redirect is an answer like any other and leads nowhere.
 */
export type SendOutcome =
  | { kind: 'answered'; status: number; retryAfterMs: number; response: string }
  | { kind: 'failed'; why: Exclude<WebhookAttemptOutcome, 'delivered' | 'answered'> };

export type SendRequest = (message: OutgoingMessage, signal: AbortSignal) => Promise<SendOutcome>;

type OutgoingMessage = { url: string; headers: Record<string, string>; body: string };

type Failed = SendOutcome & { kind: 'failed' };

const failed = (why: Failed['why']): Failed => ({ kind: 'failed', why });

export function createSendRequest(parts: OutgoingParts): SendRequest {
  return async (message, signal) => {
    const url = new URL(message.url);
    const patience = { deadline: parts.clock.now() + webhookLimits.attemptMs, signal };
    const opened = await openConnection(url, parts, patience);
    if (opened.kind === 'failed') return opened;
    try {
      return await post(opened.socket, { url, message }, { clock: parts.clock, patience });
    } finally {
      opened.socket.destroy();
    }
  };
}

/** The status decides, whatever becomes of the rest of the answer; without one, the connection was closed too early. */
function post(
  socket: Socket,
  { url, message }: { url: URL; message: OutgoingMessage },
  waiting: Waiting,
): Promise<SendOutcome> {
  let answer: { head: IncomingMessage; chunks: Buffer[]; bytes: number } | undefined;
  const outcome = (why: Failed['why']): SendOutcome =>
    answer === undefined ? failed(why) : answered(answer);
  return within<SendOutcome>(waiting, {
    begin: (settle) => {
      const sent = openRequest({
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: {
          host: url.host,
          'user-agent': 'Mailproof-Webhooks/1',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(message.body),
          connection: 'close',
          ...message.headers,
        },
        createConnection: () => socket,
      });
      sent.on('error', () => settle(outcome('closed_early')));
      sent.once('close', () => settle(outcome('closed_early')));
      sent.once('response', (head) => {
        const reading = (answer = { head, chunks: new Array<Buffer>(), bytes: 0 });
        head.on('data', (chunk: Buffer) => {
          reading.chunks.push(chunk);
          reading.bytes += chunk.length;
          if (reading.bytes >= webhookLimits.responseBytes) settle(answered(reading));
        });
        head.on('error', () => settle(answered(reading)));
        head.once('end', () => settle(answered(reading)));
      });
      sent.end(message.body);
    },
    onTimeout: () => outcome('timeout'),
  });
}

function answered({ head, chunks }: { head: IncomingMessage; chunks: Buffer[] }): SendOutcome {
  const bytes = Buffer.concat(chunks).subarray(0, webhookLimits.responseBytes);
  return {
    kind: 'answered',
    status: head.statusCode ?? 0,
    retryAfterMs: readRetryAfter(head.headers['retry-after']),
    // A receiver answers with whatever it likes; a character that cannot be stored or shown is not kept.
    response: bytes.toString('utf8').replace(/[^\P{C}\n\t]/gu, '\u{fffd}'),
  };
}

/** RFC 9110 section 10.2.3; a date is not waited for, and the usual wait is kept. */
function readRetryAfter(text: string | undefined): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : 0;
}
