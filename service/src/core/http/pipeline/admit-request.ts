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
  return (kind) => (request, reply, done) => takeClientPlace(overloadGuard, kind, { request, reply, done });
}

export function takeClientPlace(overloadGuard: OverloadGuard, kind: WorkKind, pending: PendingRequest): void {
  const context = contextOf(pending.request);
  context.work = { kind, asker: context.client };
  takePlace(overloadGuard, pending);
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
      contextOf(request).fault = answer.why;
      void refuse(reply, 'service_unavailable', answer.retryAfterSeconds);
      return;
  }
}
