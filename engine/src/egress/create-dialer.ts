import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { MailTarget } from '../dns/mail-route.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import { connectSocket } from './connect-socket.ts';
import { judgeAddress } from './judge-address.ts';
import type { Cidr } from './parse-cidr.ts';

/**
 * The only way out of the engine to a mail host: one fixed port, IP literals alone, each judged right
 * before it is dialled and once more by what the connected socket says it reached. A name never gets
 * here, so there is nothing that could resolve to something else between the judgement and the connection.
 */
export type Dialer = {
  dial(target: MailTarget, patience: Patience): Promise<DialOutcome>;
  readonly counts: Readonly<DialCounts>;
};

export type DialOutcome =
  | { kind: 'connected'; socket: Socket }
  | { kind: 'failed'; why: 'forbidden' | 'refused' | 'unreachable' | 'timeout' };

export type DialCounts = {
  /** Connections that were begun. */
  dialled: number;
  /** Targets that were refused before any packet. */
  forbidden: number;
  /** Connections that turned out to reach a forbidden address. Anything but 0 is a defect. */
  breaches: number;
};

export type DialerParts = {
  port: number;
  clock: Clock;
  limits: Pick<Limits, 'connectMs'>;
  allow: readonly Cidr[];
  /** Asked at every dial: interfaces come and go. */
  ownAddresses: () => readonly string[];
};

export function createDialer(parts: DialerParts): Dialer {
  const counts: DialCounts = { dialled: 0, forbidden: 0, breaches: 0 };

  function isForbidden(address: string): boolean {
    const judged = judgeAddress(address, { allow: parts.allow, ownAddresses: parts.ownAddresses() });
    return judged.kind === 'forbidden';
  }

  async function dial(target: MailTarget, { deadline, signal }: Patience): Promise<DialOutcome> {
    signal.throwIfAborted();
    if (isForbidden(target.address)) {
      counts.forbidden += 1;
      return { kind: 'failed', why: 'forbidden' };
    }
    const { port, clock, limits } = parts;
    const now = clock.now();
    if (deadline <= now) return { kind: 'failed', why: 'timeout' };
    counts.dialled += 1;
    const patience = { deadline: Math.min(deadline, now + limits.connectMs), signal };
    const outcome = await connectSocket({ address: target.address, port, clock, patience });
    return outcome.kind === 'connected' ? vouchFor(outcome.socket) : outcome;
  }

  function vouchFor(socket: Socket): DialOutcome {
    const { remoteAddress } = socket;
    // A connection that was reset in the same breath has no other end to speak of.
    if (remoteAddress === undefined) {
      socket.destroy();
      return { kind: 'failed', why: 'refused' };
    }
    if (!isForbidden(remoteAddress)) return { kind: 'connected', socket };
    counts.breaches += 1;
    socket.destroy();
    return { kind: 'failed', why: 'forbidden' };
  }

  return { dial, counts };
}
