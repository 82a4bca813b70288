import { tracingChannel } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders } from 'node:http';

/** As in the engine (`traced.ts` there): what takes time in the service, without an address, a key or an account. */
export const tracedRequests = tracingChannel<unknown, TracedRequest>('mailproof:request');
export const tracedGroups = tracingChannel<unknown, TracedGroup>('mailproof:transaction');
export const tracedTasks = tracingChannel<unknown, TracedTask>('mailproof:task');
export const tracedWebhooks = tracingChannel<unknown, TracedWebhook>('mailproof:webhook');

export type TracedRequest = {
  id: string;
  method: string;
  /** The pattern of the path, where a route answers to it. */
  route: string | undefined;
  /** For the caller's `traceparent`. */
  headers: IncomingHttpHeaders;
  /** Once it is answered. */
  status?: number;
};

/** A transaction in which the operations of several callers are committed together. */
type TracedGroup = { operations: number };

type TracedTask = { kind: 'task' | 'list'; result?: string };

/** What came of an attempt to deliver (`webhooks/send-request.ts`), once it is known. */
type TracedWebhook = { result?: { kind: 'answered'; status: number } | { kind: 'failed'; why: string } };
