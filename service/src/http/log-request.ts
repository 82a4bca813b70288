import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Lines } from './gather-lines.ts';
import type { RequestNotes } from './request-notes.ts';

/**
 * Writes the one line a request leaves. Every field is chosen here: the route's pattern instead of the URL,
 * because a URL may carry an address, and of an address its keyed hash and domain only.
 */
export type LogRequest = (request: FastifyRequest, reply: FastifyReply, notes: RequestNotes) => void;

/**
 * The line is as the logger would write it, among the logger's own; but it is put together here, because that is
 * what a busy service does most, and the logger would take three times as long.
 */
export function createLogRequest(logger: Pick<Logger, 'isLevelEnabled'>, output: Lines): LogRequest {
  if (!logger.isLevelEnabled('info')) return () => undefined;
  return (request, reply, notes) => {
    const { caller, address, emails, creditsUsed, fault } = notes;
    const line = {
      level: 30,
      time: Date.now(),
      request_id: request.id,
      method: request.method,
      route: notes.route ?? 'unmatched',
      status: reply.statusCode,
      ms: Math.round((performance.now() - notes.startedAt) * 10) / 10,
      // What is undefined is left out of the line.
      account: caller?.accountId,
      key: caller?.keyId,
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
