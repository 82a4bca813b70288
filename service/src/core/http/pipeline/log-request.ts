import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Caller } from '../../keys/authenticate.ts';
import type { LogOutput } from '../../process/batch-writes.ts';
import { callerIds } from './caller-ids.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Writes the one line a request leaves. Every field is chosen here: the route's pattern instead of the URL,
 * because a URL may carry an address, and of an address its keyed hash and domain only.
 */
export type LogRequest = (request: FastifyRequest, reply: FastifyReply, context: RequestContext) => void;

/**
 * The line is as the logger would write it, among the logger's own; but it is put together here, of as few pieces as it
 * can be, because that is what a busy service does most: the logger would take many times as long, and `JSON.stringify`
 * of an object twice. Numbers, our own ids and words, and what was checked to be an address or of an id's form
 * (`caller-ids.ts`) hold nothing that JSON would escape; text that may hold anything is escaped.
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
