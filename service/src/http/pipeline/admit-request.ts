import type { FastifyReply, onRequestHookHandler } from 'fastify';
import type { AdmitAnswer, OverloadGuard, WorkKind } from './overload-guard.ts';
import { refuse } from './refuse.ts';
import { contextOf } from './request-context.ts';

/** Admits a request or refuses it (503), before anything of it is looked at. Its place is released when it ends. */
export type AdmitRequest = (kind: WorkKind) => onRequestHookHandler;

export function createAdmitRequest(overloadGuard: OverloadGuard): AdmitRequest {
  return (kind) => (_request, reply, done) => {
    const answer = overloadGuard.admit(kind);
    // Hardly any request has to wait, and one that need not is not delayed by a tick.
    if (answer instanceof Promise) void answer.then((late) => proceed(late, reply, done));
    else proceed(answer, reply, done);
  };
}

function proceed(answer: AdmitAnswer, reply: FastifyReply, done: () => void): void {
  switch (answer.kind) {
    case 'admitted':
      // The place is released when the response is closed, sent or not.
      if (reply.raw.closed) answer.release();
      else contextOf(reply.request).release = answer.release;
      done();
      return;
    case 'refused':
      void refuse(reply, 'service_unavailable', answer.retryAfterSeconds);
      return;
  }
}
