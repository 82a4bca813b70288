import type { FastifyReply, onRequestHookHandler } from 'fastify';
import type { Admission, Admittance, WorkKind } from './admission.ts';
import { refuse } from './refuse.ts';
import type { Notebook } from './request-notes.ts';

/** Lets a request in or turns it away (503), before anything of it is looked at. The place is given back at its end. */
export type Door = (kind: WorkKind) => onRequestHookHandler;

export function createDoor(admission: Admission, notebook: Notebook): Door {
  function letIn(admittance: Admittance, reply: FastifyReply, done: () => void): void {
    switch (admittance.kind) {
      case 'admitted':
        // The place is given back when the response is done with, sent or not.
        if (reply.raw.closed) admittance.leave();
        else notebook.of(reply.request).leave = admittance.leave;
        done();
        return;
      case 'refused':
        void refuse(reply, 'service_unavailable', admittance.retryAfterSeconds);
        return;
    }
  }

  return (kind) => (_request, reply, done) => {
    // Hardly anybody has to wait, and those who need not are not made to wait a turn.
    const admittance = admission.admit(kind);
    if (admittance instanceof Promise) void admittance.then((late) => letIn(late, reply, done));
    else letIn(admittance, reply, done);
  };
}
