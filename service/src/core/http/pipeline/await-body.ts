import type { FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify';
import { refuse } from './refuse.ts';
import { contextOf } from './request-context.ts';

/**
 * Sets a deadline for the body: if it is missed, the client gets 408 and its connection is closed. Meanwhile the
 * request holds no place. Uploads are exempt: they have their own limit (`read-upload.ts`). That is why the
 * server's single time limit for all requests is not used here.
 */
export function awaitBody({ ms }: { ms: number }): preParsingHookHandler {
  // eslint-disable-next-line max-params -- the framework's own signature
  return (request, reply, payload, done) => {
    contextOf(request).release?.();
    if (hasBody(request) && request.routeOptions.config.readsBodyItself !== true) setDeadline(reply, ms);
    done(null, payload);
  };
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function setDeadline(reply: FastifyReply, ms: number): void {
  const { raw } = reply.request;
  const timer = setTimeout(() => {
    if (raw.complete || reply.sent) return;
    reply.header('connection', 'close');
    void refuse(reply, 'request_timeout');
  }, ms);
  timer.unref();
  // It also closes after it has been read.
  raw.once('close', () => clearTimeout(timer));
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body as it comes, within a limit of its own. */
    readsBodyItself?: boolean;
  }
}
