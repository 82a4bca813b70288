/** Does what an act says, on the connection. */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Act, Aftermath } from './act.ts';

export type Wire = {
  /** Where bytes go: the socket, or TLS over it. */
  stream: Duplex;
  /** The TCP connection itself, for resets. */
  socket: Socket;
  /** Replies of a pipelined group are gathered here and go out together. */
  unsent: string;
  /** Something was said after which the client cannot know where it is. */
  outOfStep: boolean;
};

/** `stuck`: nothing more will be answered, or `finish` is called when the act is done. */
type Progress = Aftermath | 'stuck' | 'gone';

/** An endless reply ends here all the same: load on the machine has a bound. */
const mostPoured = 16 * 1_048_576;

export function flush(wire: Wire): void {
  if (wire.unsent !== '' && wire.stream.writable) wire.stream.write(wire.unsent, 'latin1');
  wire.unsent = '';
}

export function perform(wire: Wire, act: Act, finish: (then: Aftermath) => void): Progress {
  switch (act.kind) {
    case 'say':
      wire.unsent += act.text;
      return act.then;
    case 'mislead':
      wire.unsent += act.text;
      wire.outOfStep = true;
      return act.then;
    case 'drip':
      flush(wire);
      drip(wire, act, () => finish(act.then));
      return 'stuck';
    case 'fall_silent':
      wire.unsent += act.text;
      flush(wire);
      return 'stuck';
    case 'reset':
      resetAfter(wire, act.text);
      return 'gone';
    case 'pour':
      wire.unsent += act.text;
      flush(wire);
      pour(wire, act.chunk, mostPoured);
      return 'stuck';
  }
}

/** The text must be on its way before the reset, which throws away what is not. */
function resetAfter(wire: Wire, text: string): void {
  const last = wire.unsent + text;
  wire.unsent = '';
  if (last === '') wire.socket.resetAndDestroy();
  else wire.stream.write(last, 'latin1', () => wire.socket.resetAndDestroy());
}

function drip(wire: Wire, act: { text: string; everyMs: number }, done: () => void): void {
  let sent = 0;
  const next = () => {
    if (!wire.stream.writable) return;
    wire.stream.write(act.text.charAt(sent), 'latin1');
    sent += 1;
    // Done with the last byte, not a beat later: the client may answer at once.
    if (sent >= act.text.length) done();
    else if (act.everyMs > 0) setTimeout(next, act.everyMs).unref();
    else setImmediate(next);
  };
  next();
}

function pour(wire: Wire, chunk: string, bytesLeft: number): void {
  if (!wire.stream.writable || bytesLeft <= 0) return;
  wire.stream.write(chunk, 'latin1', () => pour(wire, chunk, bytesLeft - chunk.length));
}
