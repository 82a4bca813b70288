import type { MailTarget } from '../dns/mail-route.ts';
import type { Patience } from '../patience.ts';
import { connectSocket } from './connect-socket.ts';
import {
  createGuardedDialer,
  type DialCounts,
  type GuardFailure,
  type GuardParts,
  type Reached,
} from './create-guarded-dialer.ts';

/**
 * The plain way out of the engine to a mail host: one fixed port, by whichever of this machine's addresses
 * the system chooses. `routes/create-route-dialer.ts` knows the others. The guard is the same for all.
 */
export type Dialer = {
  dial(target: MailTarget, patience: Patience): Promise<DialOutcome>;
  readonly counts: Readonly<DialCounts>;
};

export type DialOutcome = Reached | GuardFailure | { kind: 'failed'; why: 'unreachable' };

export type DialerParts = GuardParts & { port: number };

export function createDialer(parts: DialerParts): Dialer {
  const { port, clock } = parts;
  return createGuardedDialer(parts, {
    otherEnd: 'mail_host',
    connect: (address, patience) => connectSocket({ address, port, clock, patience }),
  });
}
