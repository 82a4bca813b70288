import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { LogOutput } from '../../log/batch-writes.ts';
import { callerIds } from './caller-ids.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Writes the one line a request leaves. Every field is chosen here: the route's pattern instead of the URL,
 * because a URL may carry an address, and of an address its keyed hash and domain only.
 */
export type LogRequest = (request: FastifyRequest, reply: FastifyReply, context: RequestContext) => void;

/**
 * The line is as the logger would write it, among the logger's own; but it is put together here, because that is
 * what a busy service does most: the logger would take many times as long, and `JSON.stringify` of an object several.
 */
export function createLogRequest(logger: Pick<Logger, 'isLevelEnabled'>, output: LogOutput): LogRequest {
  if (!logger.isLevelEnabled('info')) return () => undefined;
  return (request, reply, context) => {
    const { caller, address, emails, creditsUsed, fault } = context;
    const { callerRequestId, traceId } = callerIds(request.headers);
    const ms = Math.round((performance.now() - context.startedAt) * 10) / 10;
    const line =
      `{"level":30,"time":${Date.now()}` +
      field('request_id', request.id) +
      field('caller_request_id', callerRequestId) +
      field('trace_id', traceId) +
      field('client', context.client) +
      field('method', request.method) +
      field('route', context.route ?? 'unmatched') +
      field('status', reply.statusCode) +
      field('ms', ms) +
      field('account', caller?.accountId) +
      field('key', caller?.keyId ?? undefined) +
      field('person', caller?.person?.personId) +
      field('mode', caller?.mode) +
      field('address', address?.hash) +
      textField('domain', address?.domain) +
      field('emails', emails) +
      field('credits', creditsUsed) +
      textField('fault', fault) +
      field('aborted', reply.raw.writableEnded ? undefined : true) +
      ',"msg":"request"}\n';
    output.write(line);
  };
}

/**
 * One field of the line; what is undefined is left out. Only for numbers, our own ids and words, and what was checked to
 * be an address or of an id's form (`caller-ids.ts`): in none of them is anything that JSON would escape.
 */
function field(name: string, value: string | number | boolean | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? `,"${name}":"${value}"` : `,"${name}":${value}`;
}

/** The same for text that may hold anything. */
function textField(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`;
}
