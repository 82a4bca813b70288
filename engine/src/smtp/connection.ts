import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import type { StopSignal } from '../patience.ts';
import { encodeCommand, type Command } from './command.ts';
import { ReplyReader, type Reply } from './reply-reader.ts';

export type Fault = 'timeout' | 'closed' | 'protocol_error' | 'tls_failed';

export type Heard = { kind: 'reply'; reply: Reply } | { kind: 'fault'; fault: Fault };

type ConnectionParts = { clock: Clock; limits: Limits; signal: StopSignal };

/**
 * One TCP connection to a mail host, as commands out and replies in.
 *
 * It is in step as long as every reply that arrived was waited for. An unexpected reply, garbage, a hang-up or a
 * deadline breaks it, and it stays broken: every later call returns the first fault. An aborted signal destroys the
 * socket and rejects with the signal's reason.
 *
 * Thousands are open at once, most of them waiting. So the parts of a connection are made once and not for each
 * wait, and none waits as a suspended function.
 */
export class Connection {
  private readonly parts: ConnectionParts;
  private readonly reader: ReplyReader;
  private socket: Socket;
  private firstFault: Fault | undefined;
  /** Looks whether the wait under way is over; called at each event. */
  private wake: () => void = ignore;
  private resolveRead: (heard: Heard) => void = ignore;
  private rejectRead: (reason: Error) => void = ignore;
  /** The end of the wait, and the time of the timer, which may be before that. */
  private deadline = 0;
  private timerDueAt = Infinity;
  private cancelTimer: () => void = ignore;
  private heedsAbort = true;

  constructor(tcp: Socket, parts: ConnectionParts) {
    this.parts = parts;
    this.reader = new ReplyReader(parts.limits);
    this.socket = tcp;
    this.attach(tcp);
    parts.signal.addEventListener('abort', this.onGone);
  }

  fault(): Fault | undefined {
    return this.firstFault;
  }

  destroy(): void {
    this.stopWatching();
    this.socket.destroy();
  }

  /** Writes commands in one segment; breaks the connection if an unexpected reply has arrived. */
  send(commands: readonly Command[]): void {
    let lines = '';
    for (let index = 0, command = commands[0]; command !== undefined; command = commands[(index += 1)]) {
      lines += encodeCommand(command, this.parts.limits);
    }
    if (this.checkInStep() === undefined) this.socket.write(lines, 'utf8');
  }

  /**
   * Returns the next reply, if it is here already. Out of step, even a well-formed one may answer another command
   * than ours.
   */
  heard(): Heard | undefined {
    const reply = this.firstFault === 'protocol_error' ? undefined : this.reader.take();
    return reply === undefined ? undefined : { kind: 'reply', reply };
  }

  /** Waits for the next reply until `deadline` on the clock. */
  read(deadline: number): Promise<Heard> {
    const reading = new Promise(this.onRead);
    this.wake = this.wakeReader;
    this.wake();
    if (this.wake !== ignore) this.watch(deadline);
    return reading;
  }

  /** Turns the connection into TLS after a 220 to STARTTLS (RFC 3207). Everything learnt before is void. */
  async startTls(serverName: string, deadline: number): Promise<Fault | undefined> {
    // Bytes that came in the clear must not be read as if TLS had carried them (RFC 3207 section 6).
    if (this.checkInStep() !== undefined) return this.firstFault;
    this.detach(this.socket);
    const secure = secureSocket(this.socket, serverName);
    this.socket = secure;
    this.attach(secure);
    const handshake = { done: false };
    secure.once('secureConnect', () => {
      handshake.done = true;
      this.wake();
    });
    await new Promise<void>((resolve) => {
      this.wake = () => {
        if (!handshake.done && this.firstFault === undefined) return;
        this.wake = ignore;
        resolve();
      };
      this.watch(deadline);
    });
    this.parts.signal.throwIfAborted();
    if (!handshake.done) this.firstFault = 'tls_failed';
    return this.firstFault;
  }

  /** Breaks the connection if a reply waits that was not asked for, whatever it says. */
  private checkInStep(): Fault | undefined {
    this.parts.signal.throwIfAborted();
    if (this.firstFault === undefined && !this.reader.isEmpty()) this.breakWith('protocol_error');
    return this.firstFault;
  }

  private breakWith(fault: Fault): void {
    if (this.firstFault !== undefined) return;
    this.firstFault = fault;
    this.destroy();
    this.wake();
  }

  /**
   * Sets the timer for a deadline. Most waits are over soon, so one timer serves all waits of a connection. It is
   * due no later than the shortest of them would be; if it fires before the deadline, it is set again.
   */
  private watch(deadline: number): void {
    this.deadline = deadline;
    if (this.timerDueAt <= deadline) return;
    this.cancelTimer();
    this.setTimer();
  }

  private setTimer(): void {
    const { clock, limits } = this.parts;
    const now = clock.now();
    this.timerDueAt = Math.min(this.deadline, now + limits.quitMs);
    this.cancelTimer = clock.after(this.timerDueAt - now, this.onTimer);
  }

  private readonly onTimer = (): void => {
    const isOver = this.deadline <= this.timerDueAt;
    this.timerDueAt = Infinity;
    if (this.wake === ignore) return;
    if (isOver) this.breakWith('timeout');
    else this.setTimer();
  };

  private stopWatching(): void {
    this.cancelTimer();
    this.cancelTimer = ignore;
    this.timerDueAt = Infinity;
    if (this.heedsAbort) this.parts.signal.removeEventListener('abort', this.onGone);
    this.heedsAbort = false;
  }

  private readonly onRead = (resolve: (heard: Heard) => void, reject: (reason: Error) => void): void => {
    this.resolveRead = resolve;
    this.rejectRead = reject;
  };

  private readonly wakeReader = (): void => {
    const { signal } = this.parts;
    const heard = this.heard();
    if (heard !== undefined) this.resolveRead(heard);
    // The reason of an abort is whatever its owner gave; callers expect exactly that.
    else if (signal.aborted) this.rejectRead(signal.reason as Error);
    else if (this.firstFault !== undefined) this.resolveRead({ kind: 'fault', fault: this.firstFault });
    else return;
    this.wake = ignore;
  };

  private readonly onData = (bytes: Buffer): void => {
    if (this.reader.push(bytes)) this.wake();
    else this.breakWith('protocol_error');
  };

  private readonly onGone = (): void => this.breakWith('closed');

  private attach(socket: Socket): void {
    const { onData, onGone } = this;
    socket.on('data', onData).on('end', onGone).on('close', onGone).on('error', onGone).resume();
  }

  /** Lets go of a socket. A later error has no listener left to tell. */
  private detach(socket: Socket): void {
    const { onData, onGone } = this;
    socket
      .off('data', onData)
      .off('end', onGone)
      .off('close', onGone)
      .off('error', onGone)
      .on('error', ignore);
  }
}

/**
 * Begins TLS on a connection whose host said "go ahead". Certificates are not checked: a mail host's is often
 * self-signed, and a verification proves nothing about who answered. No session is kept, so none can be used at
 * another host.
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

function ignore(): void {
  return undefined;
}
