import type { onRequestHookHandler } from 'fastify';
import { tracedRequests, type TracedRequest } from '../../process/traced.ts';

/**
 * From its first hook to the end of its answer. All that is done for the request is done inside. It is no hook of its
 * own, since one that does nothing costs every request more than it looks.
 */
export function traceFrom(firstHook: onRequestHookHandler): onRequestHookHandler {
  return function (request, reply, done) {
    if (!tracedRequests.hasSubscribers) {
      firstHook.call(this, request, reply, done);
      return;
    }
    const { id, method, headers } = request;
    const route = request.is404 ? undefined : request.routeOptions.url;
    const trace: TracedRequest = { id, method, route, headers };
    reply.raw.on('close', () => {
      trace.status = reply.raw.statusCode;
      tracedRequests.asyncEnd.publish(trace);
    });
    tracedRequests.start.runStores(trace, () => firstHook.call(this, request, reply, done));
  };
}
