import type { onRequestHookHandler } from 'fastify';
import { tracedRequests, type TracedRequest } from '../../process/traced.ts';

/**
 * Traces a request from its first hook to the end of its answer, with all work inside. It wraps the first hook
 * instead of adding one: even an empty hook has a cost for every request.
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
