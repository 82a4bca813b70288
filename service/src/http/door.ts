import type { FastifyReply, onRequestHookHandler } from 'fastify';
import type { Admission, Admittance, WorkKind } from './admission.ts';
import { refuse } from './refuse.ts';

/** Lets a request in or turns it away (503), before anything of it is looked at. The place is given back at its end. */
export type Door = (kind: WorkKind) => onRequestHookHandler;

export function createDoor(admission: Admission): Door {
  return (kind) => (_request, reply, done) => {
    // Hardly anybody has to wait, and those who need not are not made to wait a turn.
    const admittance = admission.admit(kind);
    if (admittance instanceof Promise) void admittance.then((late) => letIn(late, reply, done));
    else letIn(admittance, reply, done);
  };
}

function letIn(admittance: Admittance, reply: FastifyReply, done: () => void): void {
  switch (admittance.kind) {
    case 'admitted':
      leaveWhenClosed(reply, admittance.leave);
      done();
      return;
    case 'refused':
      void refuse(reply, 'service_unavailable', admittance.retryAfterSeconds);
      return;
  }
}

/** The place is given back when the response is done with, sent or not. */
function leaveWhenClosed(reply: FastifyReply, leave: () => void): void {
  if (reply.raw.closed) leave();
  else reply.raw.once('close', leave);
}
