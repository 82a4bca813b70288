import type { onRequestHookHandler } from 'fastify';
import { refuse } from './refuse.ts';

/**
 * A body has to arrive within a deadline, or its client is answered 408 and its connection is closed. Uploads are exempt:
 * they have a limit of their own (`read-upload.ts`), which is why the server's one time limit for every request is not
 * used for this.
 */
export function bodyDeadline({ ms, exempt }: { ms: number; exempt: string }): onRequestHookHandler {
  return (request, reply, done) => {
    const { raw, headers } = request;
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    if (hasBody && request.routeOptions.url !== exempt) {
      const timer = setTimeout(() => {
        if (raw.complete || reply.sent) return;
        reply.header('connection', 'close');
        void refuse(reply, 'request_timeout');
      }, ms);
      timer.unref();
      // It closes when it has been read, too.
      raw.once('close', () => clearTimeout(timer));
    }
    done();
  };
}
