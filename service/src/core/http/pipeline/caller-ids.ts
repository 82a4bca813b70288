import type { IncomingHttpHeaders } from 'node:http';

/**
 * The caller's own names for its request, for the log: its `X-Request-Id`, and its trace (W3C Trace Context,
 * `traceparent`). The caller chooses both, so they never replace our own id, which is unique and names the
 * reservation. Values that are too long or malformed are dropped: they can neither forge nor fill a log line, and
 * without `@` they hold no address.
 */
type CallerIds = { callerRequestId?: string; traceId?: string };

const requestIdForm = /^[\w.:+=/-]{1,128}$/;
/** Version, trace, parent and flags; later versions may have more fields (Trace Context section 3.2.1). */
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
