import { connect, type Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { MailTarget } from '../dns/mail-route.ts';
import type { Cidr } from '../ip-address.ts';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import { judgeAddress } from './judge-address.ts';

/**
 * The plain way out of the engine to a mail host: one fixed port, by whichever of this machine's addresses the
 * system chooses. `routes/create-route-dialer.ts` knows the others. The guard is the same for all.
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

/**
 * The guard at every way out to a mail host, whichever route it takes: IP literals alone, each judged right before
 * it is dialled. A name never gets here, so nothing can resolve to another address between the judgement and the
 * connection.
 *
 * If the connected socket's other end is the mail host itself, the address that the socket reached is judged once
 * more. Through a proxy the other end is the proxy, so that second look is impossible there. Only the proxy knows
 * which place it truly connects to, and the operator who named it answers for it.
 */
type GuardParts = {
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
  /** The other end of the connected socket. */
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

type GuardFailure = { kind: 'failed'; why: 'forbidden' | 'refused' | 'timeout' };

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
    // A connection that was reset at once has no other end to speak of.
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

type Connected = { kind: 'connected'; socket: Socket } | Unconnected;

export type Unconnected = { kind: 'failed'; why: 'refused' | 'unreachable' | 'timeout' };

type SocketDestination = {
  /** An IP literal. */
  address: string;
  port: number;
  /** An address of this machine to leave from; by default the system chooses. */
  localAddress?: string | undefined;
  /**
   * A buffer for reading, shared by any number of sockets: a listener for data must be done with it when it returns.
   * Without it each piece has memory of its own, which costs as much as all the rest of a short conversation.
   */
  readInto?: Buffer;
  clock: Clock;
  patience: Patience;
};

/**
 * Opens one TCP connection, until the deadline. An abort rejects with its reason. A shortage of our own (no file
 * descriptor left, a local address that is not ours) rejects with the system's error, since it says nothing of the
 * other side.
 *
 * Nothing reads from the socket yet: the first bytes of the other side stay in its buffer until a listener for data
 * comes. An error before that, above all a reset, only marks the socket as `destroyed` and does not end the process.
 */
export function connectSocket(destination: SocketDestination): Promise<Connected> {
  const { address, port, localAddress, readInto, clock, patience } = destination;
  const { deadline, signal } = patience;
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: address,
      port,
      localAddress,
      onread: readInto === undefined ? undefined : { buffer: readInto, callback: tellData },
      noDelay: true,
      autoSelectFamily: false,
      lookup: neverLookUp,
    });
    // A socket with such a buffer would read as soon as it is connected, before there is a listener.
    if (readInto !== undefined) socket.pause();
    let isWaiting = true;
    const cancelTimer = clock.after(deadline - clock.now(), giveUp);
    socket.on('connect', onConnect).on('error', onError);
    signal.addEventListener('abort', giveUp);

    function tellData(size: number, buffer: Uint8Array): boolean {
      return socket.emit('data', buffer.subarray(0, size));
    }
    function stopWaiting(): void {
      isWaiting = false;
      cancelTimer();
      socket.off('connect', onConnect);
      signal.removeEventListener('abort', giveUp);
    }
    function onConnect(): void {
      stopWaiting();
      resolve({ kind: 'connected', socket });
    }
    /** Stays for as long as the socket does: a later error destroys the socket, and its reader sees that. */
    function onError(error: NodeJS.ErrnoException): void {
      if (!isWaiting) return;
      stopWaiting();
      socket.destroy();
      if (isOurs(error)) reject(error);
      else resolve({ kind: 'failed', why: reasonOf(error.code) });
    }
    /** Gives up at the deadline or on an abort, whichever comes first. */
    function giveUp(): void {
      stopWaiting();
      socket.destroy();
      // The reason of an abort is whatever its owner gave; callers expect exactly that.
      if (signal.aborted) reject(signal.reason as Error);
      else resolve({ kind: 'failed', why: 'timeout' });
    }
  });
}

const OUR_SHORTAGES: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** Whether an error is our own. A failed `bind` is about the address we wanted to leave from; nothing was sent. */
function isOurs({ code, syscall }: NodeJS.ErrnoException): boolean {
  return syscall === 'bind' || OUR_SHORTAGES.has(code);
}

function reasonOf(code: string | undefined): 'refused' | 'unreachable' | 'timeout' {
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET') return 'refused';
  return code === 'ETIMEDOUT' ? 'timeout' : 'unreachable';
}

/** Throws if an IP literal is looked up: no name may be resolved behind the judge's back. */
function neverLookUp(name: string): never {
  throw new Error(`the dialer was about to look up ${name}`);
}
