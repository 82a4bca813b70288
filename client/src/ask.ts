import type { Call } from './exchange.ts';
import { MailproofError } from './mailproof-error.ts';
import { request, type Connection } from './request.ts';

export type CallOptions = { signal?: AbortSignal | undefined };
export type PageOptions = CallOptions & { limit?: number | undefined; before?: string | undefined };

/** Asks and hands back the body, once it looks like what was asked for: only as much as tells our answer from a stranger's. */
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
