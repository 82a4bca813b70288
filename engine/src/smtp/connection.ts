import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { encodeCommand, type Command } from './command.ts';
import { createReplyReader, type Reply } from './reply-reader.ts';

/**
 * One TCP connection to a mail host, as commands out and replies in.
 *
 * It is in step as long as every reply that arrived was waited for. A reply nobody asked for, garbage,
 * a hang-up or a deadline breaks it, and it stays broken: the first fault is what every later call
 * answers. An aborted signal destroys the socket and rejects with the signal's reason.
 */
export type Fault = 'timeout' | 'closed' | 'protocol_error' | 'tls_failed';

export type Connection = {
  /** Writes commands in one segment; breaks the connection where something unasked-for has arrived. */
  send(commands: Command[]): void;
  /** Waits for the next reply until `deadline` on the clock. */
  read(deadline: number): Promise<Heard>;
  /** Turns the connection into TLS after a 220 to STARTTLS (RFC 3207). What was learnt before is void. */
  startTls(serverName: string, deadline: number): Promise<Fault | undefined>;
  fault(): Fault | undefined;
  destroy(): void;
};

export type Heard = { kind: 'reply'; reply: Reply } | { kind: 'fault'; fault: Fault };

type ConnectionParts = { clock: Clock; limits: Limits; signal: AbortSignal };

export function createConnection(tcp: Socket, { clock, limits, signal }: ConnectionParts): Connection {
  const reader = createReplyReader(limits);
  let socket: Socket = tcp;
  let fault: Fault | undefined;
  let wake: () => void = ignore;

  function breakWith(reason: Fault): void {
    fault ??= reason;
    signal.removeEventListener('abort', listeners.gone);
    socket.destroy();
    wake();
  }
  const listeners = {
    data: (bytes: Buffer) => (reader.push(bytes) ? wake() : breakWith('protocol_error')),
    gone: () => breakWith('closed'),
  };

  /** Asks `isOver` at each event until it says so. Thousands wait at once: none is a suspended function. */
  function wait(deadline: number, isOver: () => boolean): void {
    const cancel = clock.after(deadline - clock.now(), () => breakWith('timeout'));
    wake = () => {
      if (!isOver()) return;
      wake = ignore;
      cancel();
    };
  }

  /** A reply that waits unasked-for is a breach, whatever it says. */
  function checkInStep(): Fault | undefined {
    signal.throwIfAborted();
    if (fault === undefined && !reader.isEmpty()) breakWith('protocol_error');
    return fault;
  }

  function read(deadline: number): Promise<Heard> {
    return new Promise((resolve, reject) => {
      const isOver = (): boolean => {
        // Out of step, even a well-formed reply may answer another command than ours.
        const reply = fault === 'protocol_error' ? undefined : reader.take();
        if (reply !== undefined) resolve({ kind: 'reply', reply });
        // The reason of an abort is whatever its owner gave; callers expect exactly that.
        else if (signal.aborted) reject(signal.reason as Error);
        else if (fault !== undefined) resolve({ kind: 'fault', fault });
        else return false;
        return true;
      };
      if (!isOver()) wait(deadline, isOver);
    });
  }

  function send(commands: Command[]): void {
    const lines = commands.map((command) => encodeCommand(command, limits)).join('');
    if (checkInStep() === undefined) socket.write(lines, 'utf8');
  }

  async function startTls(serverName: string, deadline: number): Promise<Fault | undefined> {
    // Bytes that came in the clear must not be read as if TLS had carried them (RFC 3207 section 6).
    if (checkInStep() !== undefined) return fault;
    detach(tcp, listeners);
    const secure = secureSocket(tcp, serverName);
    socket = secure;
    attach(secure, listeners);
    const handshake = { done: false };
    secure.once('secureConnect', () => {
      handshake.done = true;
      wake();
    });
    await new Promise<void>((resolve) => {
      wait(deadline, () => {
        if (handshake.done || fault !== undefined) resolve();
        return handshake.done || fault !== undefined;
      });
    });
    signal.throwIfAborted();
    if (!handshake.done) fault = 'tls_failed';
    return fault;
  }

  attach(tcp, listeners);
  signal.addEventListener('abort', listeners.gone, { once: true });
  return { send, read, startTls, fault: () => fault, destroy: () => void socket.destroy() };
}

/**
 * Begins TLS on a connection whose host said "go ahead". Certificates are not checked: a mail host's is
 * as often as not its own, and a verification proves nothing about who answered. No session is kept, so
 * none can be used at another host.
 */
function secureSocket(tcp: Socket, serverName: string): TLSSocket {
  const secure = connect({
    socket: tcp,
    servername: serverName,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
  });
  secure.disableRenegotiation();
  return secure;
}

type Listeners = { data: (bytes: Buffer) => void; gone: () => void };

function attach(socket: Socket, { data, gone }: Listeners): void {
  socket.on('data', data).on('end', gone).on('close', gone).on('error', gone).resume();
}

/** An error that comes after this has nobody left to tell. */
function detach(socket: Socket, { data, gone }: Listeners): void {
  socket.off('data', data).off('end', gone).off('close', gone).off('error', gone).on('error', ignore);
}

function ignore(): void {
  return undefined;
}
