import type { FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify';
import { refuse } from './refuse.ts';
import { contextOf } from './request-context.ts';

/**
 * While its body is on the way a request holds no place, and the body has to arrive within a deadline, or its client is
 * answered 408 and its connection is closed. Uploads are exempt from that: they have a limit of their own
 * (`read-upload.ts`), which is why the server's one time limit for every request is not used for this.
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
  // It closes when it has been read, too.
  raw.once('close', () => clearTimeout(timer));
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body as it comes, within a limit of its own. */
    readsBodyItself?: boolean;
  }
}
