import type { FastifyReply, FastifyRequest, onRequestHookHandler, preValidationHookHandler } from 'fastify';
import type { AdmitAnswer, OverloadGuard, WorkKind } from './overload-guard.ts';
import { refuse } from './refuse.ts';
import { contextOf } from './request-context.ts';

/**
 * Where a request takes its place, or is refused (503): once for its client's address, before anything of it is looked
 * at and until it is known who sends it; and once for its account, when its body is there. In between it holds none, so
 * that a body which never comes keeps nobody else out (await-body.ts).
 */
export type AdmitRequest = (kind: WorkKind) => onRequestHookHandler;

export function createAdmitRequest(overloadGuard: OverloadGuard): AdmitRequest {
  return (kind) => (request, reply, done) => {
    const context = contextOf(request);
    context.work = { kind, asker: context.client };
    takePlace(overloadGuard, { request, reply, done });
  };
}

/**
 * The same where most senders are known at once: such a request goes on in the same moment, so it is enough that there
 * is a place for its client. Where a sender has yet to be looked up, the place is taken (`holdPlace`).
 */
export function createLookForPlace(overloadGuard: OverloadGuard): AdmitRequest {
  return (kind) => (request, reply, done) => {
    const context = contextOf(request);
    context.work = { kind, asker: context.client };
    if (overloadGuard.hasPlace(kind, context.client)) done();
    else takePlace(overloadGuard, { request, reply, done });
  };
}

/** Nothing has happened since there was a place, unless the request had to wait for one: then it holds it. */
export function holdPlace(overloadGuard: OverloadGuard, pending: PendingRequest): void {
  if (contextOf(pending.request).release === undefined) takePlace(overloadGuard, pending);
  else pending.done();
}

/** When the body is there. The place is released when the response is closed, sent or not. */
export function createTakePlace(overloadGuard: OverloadGuard): preValidationHookHandler {
  return (request, reply, done) => {
    contextOf(request).release?.();
    takePlace(overloadGuard, { request, reply, done });
  };
}

type PendingRequest = { request: FastifyRequest; reply: FastifyReply; done: () => void };

function takePlace(overloadGuard: OverloadGuard, pending: PendingRequest): void {
  const { work } = contextOf(pending.request);
  if (work === undefined) {
    pending.done();
    return;
  }
  const answer = overloadGuard.admit(work.kind, work.asker);
  // Hardly any request has to wait, and one that need not is not delayed by a tick.
  if (answer instanceof Promise) void answer.then((late) => proceed(late, pending));
  else proceed(answer, pending);
}

function proceed(answer: AdmitAnswer, { request, reply, done }: PendingRequest): void {
  switch (answer.kind) {
    case 'admitted':
      if (reply.raw.closed) answer.release();
      else contextOf(request).release = answer.release;
      done();
      return;
    case 'refused':
      void refuse(reply, 'service_unavailable', answer.retryAfterSeconds);
      return;
  }
}
