import { connect, type Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Patience } from '../patience.ts';

type Connected = { kind: 'connected'; socket: Socket } | Unconnected;

export type Unconnected = { kind: 'failed'; why: 'refused' | 'unreachable' | 'timeout' };

type SocketDestination = {
  /** An IP literal. */
  address: string;
  port: number;
  /** An address of this machine to leave from; none means that the system chooses. */
  localAddress?: string | undefined;
  /**
   * Where what is read lies, for any number of sockets: whoever listens for data must be done with it when the listener
   * returns. Without it each piece has memory of its own, which costs as much as all the rest of a short conversation.
   */
  readInto?: Buffer;
  clock: Clock;
  patience: Patience;
};

/**
 * One TCP connection, until the deadline. An abort rejects with its reason; a shortage of our own (no file
 * descriptor left, a local address that is not ours) rejects with the system's error, since it says nothing of
 * the other side.
 *
 * Nothing reads from the socket yet: what the other side says first waits in its buffer until somebody
 * listens for data. An error that comes before that, a reset above all, is taken note of by the socket
 * itself (`destroyed`) and does not bring the process down.
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
    // A socket with such a buffer would read as soon as it is connected, and nobody listens yet.
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
    /** Stays for as long as the socket does: by a later error it is destroyed, and whoever reads from it sees that. */
    function onError(error: NodeJS.ErrnoException): void {
      if (!isWaiting) return;
      stopWaiting();
      socket.destroy();
      if (isOurs(error)) reject(error);
      else resolve({ kind: 'failed', why: reasonOf(error.code) });
    }
    /** At the deadline or on an abort, whichever comes first. */
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

/** A failed `bind` is about the address we wanted to leave from; nothing was sent. */
function isOurs({ code, syscall }: NodeJS.ErrnoException): boolean {
  return syscall === 'bind' || OUR_SHORTAGES.has(code);
}

function reasonOf(code: string | undefined): 'refused' | 'unreachable' | 'timeout' {
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET') return 'refused';
  return code === 'ETIMEDOUT' ? 'timeout' : 'unreachable';
}

/** An IP literal is never looked up. Should one ever be, no name may be resolved behind the judge's back. */
function neverLookUp(name: string): never {
  throw new Error(`the dialer was about to look up ${name}`);
}
