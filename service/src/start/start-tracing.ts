import { AsyncLocalStorage } from 'node:async_hooks';
import type { TracingChannel } from 'node:diagnostics_channel';
import {
  context,
  isSpanContextValid,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { providerOf, tracedConversations, tracedLookups } from '@mailproof/engine';
import { tracedGroups, tracedRequests, tracedTasks, tracedWebhooks } from '../core/process/traced.ts';

/**
 * Turns what is published in `traced.ts`, here and in the engine, into spans of OpenTelemetry. Only its API is ours: who
 * wants traces loads an SDK before the service (`--import`), and who does not pays nothing, since nobody subscribes.
 *
 * A span is the child of the one in which its work was begun. What several callers share (a lookup, a conversation)
 * belongs to the one that began it; a transaction, which commits what many callers wrote, may stand alone. No attribute holds an address, a domain, a key or an account.
 */
export function startTracing(): { stop(): void } {
  const tracer = trace.getTracer('mailproof');
  if (!isSpanContextValid(tracer.startSpan('start').spanContext())) return { stop: () => undefined };
  const spans = createSpans(tracer);
  const stops = [
    spans.follow(tracedRequests, {
      begin: ({ id, method, route, headers }) => ({
        name: route === undefined ? method : `${method} ${route}`,
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'mailproof.request_id': id,
        },
        parent: propagation.extract(context.active(), headers),
      }),
      end: ({ status = 0 }) => ({
        attributes: { 'http.response.status_code': status },
        hasFailed: status >= 500,
      }),
    }),
    spans.follow(tracedGroups, {
      begin: ({ operations }) => ({
        name: 'transaction',
        kind: SpanKind.CLIENT,
        attributes: { 'db.operation.batch.size': operations },
      }),
    }),
    spans.follow(tracedLookups, {
      begin: ({ type }) => ({
        name: `DNS ${type}`,
        kind: SpanKind.CLIENT,
        attributes: { 'mailproof.dns.type': type },
      }),
    }),
    spans.follow(tracedConversations, {
      begin: ({ host, route }) => ({
        name: 'SMTP conversation',
        kind: SpanKind.CLIENT,
        attributes: { 'mailproof.provider': providerOf(host)?.id ?? 'other', 'mailproof.route': route },
      }),
    }),
    spans.follow(tracedTasks, {
      begin: ({ kind }) => ({ name: kind, kind: SpanKind.CONSUMER, attributes: {} }),
      end: ({ result }) => ({ attributes: { 'mailproof.task.outcome': result }, hasFailed: false }),
    }),
    spans.follow(tracedWebhooks, {
      begin: () => ({
        name: 'webhook',
        kind: SpanKind.CLIENT,
        attributes: { 'http.request.method': 'POST' },
      }),
      end: ({ result }) =>
        result?.kind === 'answered'
          ? { attributes: { 'http.response.status_code': result.status }, hasFailed: result.status >= 400 }
          : { attributes: { 'error.type': result?.why }, hasFailed: true },
    }),
  ];
  return { stop: () => stops.forEach((stop) => stop()) };
}

type Beginning = { name: string; kind: SpanKind; attributes: Attributes; parent?: Context };
type Ending = { attributes: Attributes; hasFailed: boolean };

type Reading<Trace> = { begin: (trace: Trace) => Beginning; end?: (trace: Trace) => Ending };

function createSpans(tracer: Tracer) {
  const active = new AsyncLocalStorage<Context>();
  const open = new WeakMap<object, Span>();

  /** The function it returns ends it. */
  function follow<Trace extends object>(
    channel: TracingChannel<unknown, Trace>,
    { begin, end }: Reading<Trace>,
  ): () => void {
    channel.start.bindStore(active, (published) => {
      const { name, parent = active.getStore() ?? context.active(), ...options } = begin(published);
      const span = tracer.startSpan(name, options, parent);
      open.set(published, span);
      return trace.setSpan(parent, span);
    });
    const subscribers = {
      start: () => undefined,
      end: () => undefined,
      asyncStart: () => undefined,
      asyncEnd: (published: Trace & { error?: unknown }) => {
        const { error } = published;
        const ending = error === undefined ? end?.(published) : failure(error);
        finish(open.get(published), ending);
      },
      error: () => undefined,
    };
    channel.subscribe(subscribers);
    return () => {
      channel.unsubscribe(subscribers);
      channel.start.unbindStore(active);
    };
  }

  return { follow };
}

function finish(
  span: Span | undefined,
  { attributes, hasFailed }: Ending = { attributes: {}, hasFailed: false },
): void {
  span?.setAttributes(attributes);
  if (hasFailed) span?.setStatus({ code: SpanStatusCode.ERROR });
  span?.end();
}

/** Its class and not its message, which may hold what a client sent. */
function failure(error: unknown): Ending {
  return {
    attributes: { 'error.type': error instanceof Error ? error.name : typeof error },
    hasFailed: true,
  };
}
