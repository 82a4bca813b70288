import type { Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
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
  /** Writes commands in one segment. Refuses when something unasked-for has arrived. */
  send(commands: Command[]): Fault | undefined;
  /** Waits for the next reply until `deadline` on the clock. */
  read(deadline: number): Promise<{ kind: 'reply'; reply: Reply } | { kind: 'fault'; fault: Fault }>;
  /** Turns the connection into TLS after a 220 to STARTTLS (RFC 3207). What was learnt before is void. */
  startTls(serverName: string, deadline: number): Promise<Fault | undefined>;
  fault(): Fault | undefined;
  destroy(): void;
};

export type ConnectionParts = { clock: Clock; limits: Limits; signal: AbortSignal };

export function createConnection(tcp: Socket, parts: ConnectionParts): Connection {
  const { clock, limits, signal } = parts;
  const reader = createReplyReader(limits);
  let socket: Socket | TLSSocket = tcp;
  let fault: Fault | undefined;
  let wake: () => void = ignore;

  function breakWith(reason: Fault): void {
    fault ??= reason;
    socket.destroy();
    wake();
  }
  function onData(bytes: Buffer): void {
    if (reader.push(bytes)) wake();
    else breakWith('protocol_error');
  }
  const onGone = (): void => breakWith('closed');
  const onAbort = (): void => breakWith('closed');

  function attach(to: Socket): void {
    to.on('data', onData).on('end', onGone).on('close', onGone).on('error', onGone);
  }
  function detach(from: Socket): void {
    from.off('data', onData).off('end', onGone).off('close', onGone).off('error', onGone);
  }

  /** Resolves when something arrived, the connection broke or the deadline passed. */
  function nextEvent(deadline: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.after(deadline - clock.now(), () => breakWith('timeout'));
      wake = () => {
        wake = ignore;
        cancel();
        resolve();
      };
    });
  }

  async function read(deadline: number): ReturnType<Connection['read']> {
    for (;;) {
      // Out of step, even a well-formed reply may answer another command than ours.
      const reply = fault === 'protocol_error' ? undefined : reader.take();
      if (reply !== undefined) return { kind: 'reply', reply };
      signal.throwIfAborted();
      if (fault !== undefined) return { kind: 'fault', fault };
      await nextEvent(deadline);
    }
  }

  function send(commands: Command[]): Fault | undefined {
    signal.throwIfAborted();
    if (fault === undefined && !reader.isEmpty()) breakWith('protocol_error');
    if (fault === undefined)
      socket.write(Buffer.concat(commands.map((command) => encodeCommand(command, limits))));
    return fault;
  }

  async function startTls(serverName: string, deadline: number): Promise<Fault | undefined> {
    // Bytes that came in the clear must not be read as if TLS had carried them (RFC 3207 section 6).
    if (fault === undefined && !reader.isEmpty()) breakWith('protocol_error');
    if (fault !== undefined) return fault;
    detach(tcp);
    tcp.on('error', ignore);
    const secure = connectTls({
      socket: tcp,
      servername: serverName,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
    });
    secure.disableRenegotiation();
    socket = secure;
    attach(secure);
    let done = false;
    secure.once('secureConnect', () => {
      done = true;
      wake();
    });
    await nextEvent(deadline);
    signal.throwIfAborted();
    if (!done) fault = 'tls_failed';
    return fault;
  }

  attach(tcp);
  tcp.resume();
  signal.addEventListener('abort', onAbort, { once: true });
  tcp.once('close', () => signal.removeEventListener('abort', onAbort));
  return { send, read, startTls, fault: () => fault, destroy: () => socket.destroy() };
}

function ignore(): void {
  // A socket that is being let go may still report an error; nobody is left to tell.
}
