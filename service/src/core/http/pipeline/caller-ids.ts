import type { IncomingHttpHeaders } from 'node:http';

/**
 * What a caller names its request by, for the log: its own `X-Request-Id`, and the trace it belongs to (W3C Trace
 * Context, `traceparent`). Both are the caller's words, so they never stand in for our own id, which is unique and
 * names what a request reserved. What is too long or of another form is not taken over: a line of the log can be
 * neither forged nor filled with it, and without `@` it holds no address.
 */
type CallerIds = { callerRequestId?: string; traceId?: string };

const requestIdForm = /^[\w.:+=/-]{1,128}$/;
/** Version, trace, parent and flags; versions to come may have more fields (Trace Context section 3.2.1). */
const traceparentForm = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/;
const longestTraceparent = 256;

export function callerIds(headers: IncomingHttpHeaders): CallerIds {
  const { 'x-request-id': requestId, traceparent } = headers;
  const ids: CallerIds = {};
  if (typeof requestId === 'string' && requestIdForm.test(requestId)) ids.callerRequestId = requestId;
  const traceId = typeof traceparent === 'string' ? traceIdIn(traceparent) : undefined;
  if (traceId !== undefined) ids.traceId = traceId;
  return ids;
}

function traceIdIn(traceparent: string): string | undefined {
  if (traceparent.length > longestTraceparent) return undefined;
  const [, traceId, more] = traceparentForm.exec(traceparent) ?? [];
  return more !== undefined && traceparent.startsWith('00-') ? undefined : traceId;
}
