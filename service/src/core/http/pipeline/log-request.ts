import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Caller } from '../../keys/authenticate.ts';
import type { LogOutput } from '../../process/batch-writes.ts';
import { callerIds } from './caller-ids.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Writes the log line of a request. Every field is chosen here. The route's pattern replaces the URL, because a URL
 * may contain an address. Of an address, only the keyed hash and the domain are logged.
 */
export type LogRequest = (request: FastifyRequest, reply: FastifyReply, context: RequestContext) => void;

/**
 * Returns the function that writes a request's log line. The line looks like the logger's own, but is concatenated
 * here from few pieces, because it is a busy service's most frequent work. The logger would take many times as
 * long, and `JSON.stringify` of an object twice as long. Numbers, our own ids and words, and checked addresses and
 * ids (`caller-ids.ts`) contain nothing that JSON would escape; any other text is escaped.
 */
export function createLogRequest(logger: Pick<Logger, 'isLevelEnabled'>, output: LogOutput): LogRequest {
  if (!logger.isLevelEnabled('info')) return () => undefined;
  return (request, reply, context) => {
    const { caller, address, emails, creditsUsed, fault } = context;
    const { callerRequestId, traceId } = callerIds(request.headers);
    const ms = Math.round((performance.now() - context.startedAt) * 10) / 10;
    let line = `{"level":30,"time":${Date.now()},"request_id":"${request.id}"`;
    if (callerRequestId !== undefined) line += `,"caller_request_id":"${callerRequestId}"`;
    if (traceId !== undefined) line += `,"trace_id":"${traceId}"`;
    line += `,"client":"${context.client}","method":"${request.method}","route":"${context.route ?? 'unmatched'}"`;
    line += `,"status":${reply.statusCode},"ms":${ms}`;
    if (caller !== undefined) line += callerFields(caller);
    if (address !== undefined)
      line += `,"address":"${address.hash}","domain":${JSON.stringify(address.domain)}`;
    if (emails !== undefined) line += `,"emails":${emails}`;
    line += `,"credits":${creditsUsed}`;
    if (fault !== undefined) line += `,"fault":${JSON.stringify(fault)}`;
    if (!reply.raw.writableEnded) line += ',"aborted":true';
    output.write(`${line},"msg":"request"}\n`);
  };
}

function callerFields({ accountId, keyId, person, mode }: Caller): string {
  const key = keyId === null ? '' : `,"key":"${keyId}"`;
  const personId = person === undefined ? '' : `,"person":"${person.personId}"`;
  return `,"account":"${accountId}"${key}${personId},"mode":"${mode}"`;
}
