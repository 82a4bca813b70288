import { tracingChannel } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Traces of slow steps in the service, as in the engine (`traced.ts` there): without an address, a key or an
 * account.
 */
export const tracedRequests = tracingChannel<unknown, TracedRequest>('mailproof:request');
export const tracedGroups = tracingChannel<unknown, TracedGroup>('mailproof:transaction');
export const tracedTasks = tracingChannel<unknown, TracedTask>('mailproof:task');
export const tracedWebhooks = tracingChannel<unknown, TracedWebhook>('mailproof:webhook');

export type TracedRequest = {
  id: string;
  method: string;
  /** The pattern of the path, if a route matches. */
  route: string | undefined;
  /** For the caller's `traceparent`. */
  headers: IncomingHttpHeaders;
  /** Set once the request is answered. */
  status?: number;
};

/** A transaction in which the operations of several callers are committed together. */
type TracedGroup = { operations: number };

type TracedTask = { kind: 'task' | 'list'; result?: string };

/** The outcome of a delivery attempt (`webhooks/send-request.ts`), once it is known. */
type TracedWebhook = { result?: { kind: 'answered'; status: number } | { kind: 'failed'; why: string } };
