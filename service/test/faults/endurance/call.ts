import { Agent, request as send } from 'node:http';
import { isRecord } from './run-command.ts';

/** One request to the API. A body that is a string goes as it is, anything else as JSON. */
export type Call = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
};

/** An answer that came whole, or none: a connection that broke before the last byte acknowledges nothing. */
export type Answer =
  | {
      kind: 'answered';
      status: number;
      creditsUsed: string | undefined;
      body: string;
      /** Every byte after the status line: header fields as they were sent, then the body. */
      bytes: string;
    }
  | { kind: 'lost' };

export type Answered = Answer & { kind: 'answered' };

export type Caller = { call(call: Call): Promise<Answer>; close(): void };

export const singlePath = '/api/v1/email-verification';
export const bulkPath = '/api/v1/bulk-email-verification';

const waitAtMostMs = 60_000;

export function createCaller(url: string, sockets = Infinity): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  const { hostname, port } = new URL(url);
  return {
    call: ({ method = 'POST', path, key, body, headers = {} }) =>
      new Promise((resolve) => {
        const lost = () => resolve({ kind: 'lost' });
        const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
        const request = send({
          agent,
          hostname,
          port,
          method,
          path,
          timeout: waitAtMostMs,
          headers: {
            ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
            ...(payload === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
            ...headers,
          },
        });
        request.on('error', lost).on('timeout', () => request.destroy());
        request.on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => void chunks.push(chunk));
          response.on('error', lost).on('aborted', lost);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('latin1');
            const used = response.headers['x-credits-used'];
            resolve({
              kind: 'answered',
              status: response.statusCode ?? 0,
              creditsUsed: typeof used === 'string' ? used : undefined,
              body: Buffer.from(text, 'latin1').toString('utf8'),
              bytes: `${response.rawHeaders.join('\n')}\n\n${text}`,
            });
          });
        });
        request.end(payload);
      }),
    close: () => agent.destroy(),
  };
}

/** The fields of an answer's body. */
export function fieldsOf({ body }: Answered): Record<string, unknown> {
  const fields: unknown = JSON.parse(body);
  if (!isRecord(fields)) throw new Error(`an answer that is no object: ${body}`);
  return fields;
}

/** For tests in which nobody pulls the plug. */
export async function answerTo(caller: Caller, call: Call): Promise<Answered> {
  const answer = await caller.call(call);
  if (answer.kind === 'lost') throw new Error(`no answer to ${call.method ?? 'POST'} ${call.path}`);
  return answer;
}
