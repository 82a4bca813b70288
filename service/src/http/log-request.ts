import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestNotes } from './request-notes.ts';

/**
 * The one line a request leaves. Every field is chosen here: the route's pattern instead of the URL,
 * because a URL may carry an address, and of an address its keyed hash and domain only.
 */
export function logRequest(
  logger: FastifyBaseLogger,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  notes: RequestNotes,
): void {
  const { caller, address, emails, creditsUsed, fault } = notes;
  logger.info(
    {
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
    },
    'request',
  );
}
