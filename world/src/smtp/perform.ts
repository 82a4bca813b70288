/** Does what an act says, on the connection. */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Act } from './act.ts';

/** After an act the conversation goes on, stands still for good, is over, or turns to TLS. */
export type Aftermath = 'goes_on' | 'stuck' | 'over' | 'start_tls';

export type Wire = {
  /** Where bytes go: the socket, or TLS over it. */
  stream: Duplex;
  /** The TCP connection itself, for resets. */
  socket: Socket;
  /** Replies of a pipelined group are gathered here and go out together. */
  unsent: string;
  /** Something was sent after which the client cannot know where it is. */
  outOfStep: boolean;
};

/** An endless reply ends here all the same: load on the machine has a bound. */
const mostPoured = 16 * 1_048_576;

export function flush(wire: Wire): void {
  if (wire.unsent !== '' && !wire.stream.destroyed) wire.stream.write(wire.unsent);
  wire.unsent = '';
}

export function perform(wire: Wire, act: Act, goOn: () => void): Aftermath {
  switch (act.kind) {
    case 'say':
      wire.unsent += act.text;
      return 'goes_on';
    case 'close':
      wire.unsent += act.text;
      flush(wire);
      wire.stream.end();
      return 'over';
    case 'reset':
      resetAfter(wire, act.text);
      return 'over';
    case 'fall_silent':
      wire.unsent += act.text;
      flush(wire);
      return 'stuck';
    case 'break':
      flush(wire);
      wire.outOfStep = true;
      if (!wire.stream.destroyed) wire.stream.write(act.bytes);
      return 'goes_on';
    case 'drip':
      flush(wire);
      drip(wire, act, goOn);
      return 'stuck';
    case 'pour':
      wire.unsent += act.text;
      flush(wire);
      pour(wire, act.chunk, mostPoured);
      return 'stuck';
    case 'start_tls':
      wire.unsent += act.text;
      flush(wire);
      return 'start_tls';
  }
}

/** The text must be on its way before the reset, which throws away what is not. */
function resetAfter(wire: Wire, text: string): void {
  wire.unsent += text;
  if (wire.unsent === '') wire.socket.resetAndDestroy();
  else wire.stream.write(wire.unsent, () => wire.socket.resetAndDestroy());
  wire.unsent = '';
}

function drip(wire: Wire, act: { text: string; everyMs: number }, goOn: () => void): void {
  const bytes = Buffer.from(act.text);
  let sent = 0;
  const next = () => {
    if (wire.stream.destroyed) return;
    if (sent === bytes.length) {
      goOn();
      return;
    }
    wire.stream.write(bytes.subarray(sent, sent + 1));
    sent += 1;
    if (act.everyMs > 0) setTimeout(next, act.everyMs).unref();
    else setImmediate(next);
  };
  next();
}

function pour(wire: Wire, chunk: string, bytesLeft: number): void {
  if (wire.stream.destroyed || bytesLeft <= 0) return;
  wire.stream.write(chunk, () => pour(wire, chunk, bytesLeft - chunk.length));
}
