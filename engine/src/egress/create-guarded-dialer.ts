import type { Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { MailTarget } from '../dns/mail-route.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import { judgeAddress } from './judge-address.ts';
import type { Cidr } from '../net/parse-cidr.ts';

/**
 * The guard at every way out to a mail host, whichever route it takes: IP literals alone, each judged right
 * before it is dialled. A name never gets here, so there is nothing that could resolve to something else
 * between the judgement and the connection.
 *
 * Where the connected socket's other end is the mail host itself, it is judged once more by what the socket
 * says it reached. Through a proxy the other end is the proxy, so that second look is impossible there: which
 * place a proxy truly connects to is known to the proxy alone, and the operator who named it answers for it.
 */
export type GuardParts = {
  clock: Clock;
  limits: Pick<Limits, 'connectMs'>;
  allow: readonly Cidr[];
  /** Asked at every dial: interfaces come and go. */
  ownAddresses: () => readonly string[];
};

export type Reached = { kind: 'connected'; socket: Socket };

/** How a connection is made once the guard has let its address pass. */
export type Way<Failed> = {
  connect(address: string, patience: Patience): Promise<Reached | Failed>;
  /** Who the other end of the connected socket is. */
  otherEnd: 'mail_host' | 'proxy';
};

export type DialCounts = {
  /** Connections that were begun. */
  dialled: number;
  /** Targets that were refused before any packet. */
  forbidden: number;
  /** Connections that turned out to reach a forbidden address. Anything but 0 is a defect. */
  breaches: number;
};

export type GuardFailure = { kind: 'failed'; why: 'forbidden' | 'refused' | 'timeout' };

type GuardedDialer<Failed> = {
  dial(target: MailTarget, patience: Patience): Promise<Reached | Failed | GuardFailure>;
  readonly counts: Readonly<DialCounts>;
};

export function createGuardedDialer<Failed extends { kind: 'failed' }>(
  parts: GuardParts,
  way: Way<Failed>,
): GuardedDialer<Failed> {
  const counts: DialCounts = { dialled: 0, forbidden: 0, breaches: 0 };

  function isForbidden(address: string): boolean {
    const judged = judgeAddress(address, { allow: parts.allow, ownAddresses: parts.ownAddresses() });
    return judged.kind === 'forbidden';
  }

  // Not a suspended function: thousands wait here at once.
  function dial(
    target: MailTarget,
    { deadline, signal }: Patience,
  ): Promise<Reached | Failed | GuardFailure> {
    // The reason of an abort is whatever its owner gave; callers expect exactly that.
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    if (isForbidden(target.address)) {
      counts.forbidden += 1;
      return Promise.resolve({ kind: 'failed', why: 'forbidden' });
    }
    const now = parts.clock.now();
    if (deadline <= now) return Promise.resolve({ kind: 'failed', why: 'timeout' });
    counts.dialled += 1;
    const patience = { deadline: Math.min(deadline, now + parts.limits.connectMs), signal };
    return way.connect(target.address, patience).then(judgeAgain);
  }

  function judgeAgain(outcome: Reached | Failed): Reached | Failed | GuardFailure {
    if (outcome.kind === 'failed' || way.otherEnd === 'proxy') return outcome;
    return vouchFor(outcome.socket);
  }

  function vouchFor(socket: Socket): Reached | GuardFailure {
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
