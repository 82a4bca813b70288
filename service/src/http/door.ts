import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Admission, WorkKind } from './admission.ts';
import { refuse } from './refuse.ts';

/** Lets a request in or turns it away (503), before anything of it is looked at. The place is given back at its end. */
export type Door = (kind: WorkKind) => onRequestAsyncHookHandler;

export function createDoor(admission: Admission): Door {
  return (kind) => async (_request: FastifyRequest, reply: FastifyReply) => {
    const admittance = await admission.admit(kind);
    switch (admittance.kind) {
      case 'admitted':
        leaveWhenClosed(reply, admittance.leave);
        return;
      case 'refused':
        return refuse(reply, 'service_unavailable', admittance.retryAfterSeconds);
    }
  };
}

/** The place is given back when the response is done with, sent or not. */
function leaveWhenClosed(reply: FastifyReply, leave: () => void): void {
  if (reply.raw.closed) leave();
  else reply.raw.once('close', leave);
}
