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
 * what a busy service does most, and the logger would take three times as long.
 */
export function createLogRequest(logger: Pick<Logger, 'isLevelEnabled'>, output: LogOutput): LogRequest {
  if (!logger.isLevelEnabled('info')) return () => undefined;
  return (request, reply, context) => {
    const { caller, address, emails, creditsUsed, fault } = context;
    const { callerRequestId, traceId } = callerIds(request.headers);
    const line = {
      level: 30,
      time: Date.now(),
      request_id: request.id,
      caller_request_id: callerRequestId,
      trace_id: traceId,
      client: context.client,
      method: request.method,
      route: context.route ?? 'unmatched',
      status: reply.statusCode,
      ms: Math.round((performance.now() - context.startedAt) * 10) / 10,
      // What is undefined is left out of the line.
      account: caller?.accountId,
      key: caller?.keyId ?? undefined,
      person: caller?.person?.personId,
      mode: caller?.mode,
      address: address?.hash,
      domain: address?.domain,
      emails,
      credits: creditsUsed,
      fault,
      aborted: reply.raw.writableEnded ? undefined : true,
      msg: 'request',
    };
    output.write(`${JSON.stringify(line)}\n`);
  };
}
