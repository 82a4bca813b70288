/** The server's side of a STARTTLS upgrade, sound or with a fault in it. */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { SecureContext } from 'node:tls';
import type { TlsContexts } from './tls-contexts.ts';
import type { TlsFault } from './tls-fault.ts';

/** Called once the handshake is done, with the round trips it took. */
type OnSecure = (stream: Duplex, roundTrips: number) => void;

type Upgrade = { socket: Socket; contexts: TlsContexts; fault: TlsFault | undefined };

/** What the host sends in a flight, numbered from 1; nothing where it stalls. */
type Tamper = (bytes: Buffer, flight: number) => Buffer | undefined;

export function secureStream({ socket, contexts, fault }: Upgrade, onSecure: OnSecure): void {
  const context = () => contexts.forFault(fault);
  switch (fault) {
    case 'close':
      socket.end();
      return;
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'garbage':
      socket.once('data', () => socket.write(Buffer.from('no hello to be found in here\r\n'.repeat(8))));
      return;
    case 'stall_before_hello':
      socket.resume();
      return;
    case 'stall_inside_hello':
      handshake(tampered(socket, stopInside), context(), neverDone);
      return;
    case 'stall_before_finished':
      handshake(tampered(socket, stopAfterFirstFlight), context(), neverDone);
      return;
    case 'bad_record':
      handshake(tampered(socket, flipOneByte), context(), onSecure);
      return;
    case 'refused':
    case 'stall_after_handshake':
    case 'huge_chain':
    case 'old_version':
    case 'injected_reply':
    case undefined:
      handshake(socket, context(), onSecure);
  }
}

/** The host believes a handshake done whose end it has swallowed; the client knows better. */
const neverDone: OnSecure = () => undefined;

function handshake(transport: Duplex, secureContext: SecureContext, onSecure: OnSecure): void {
  const stream = new TLSSocket(transport, { isServer: true, secureContext });
  stream.once('secure', () => onSecure(stream, stream.getProtocol() === 'TLSv1.3' ? 1 : 2));
  stream.on('error', () => transport.destroy());
}

const stopInside: Tamper = (bytes, flight) =>
  flight === 1 ? bytes.subarray(0, Math.floor(bytes.length / 2)) : undefined;

const stopAfterFirstFlight: Tamper = (bytes, flight) => (flight === 1 ? bytes : undefined);

const flipOneByte: Tamper = (bytes, flight) => {
  const copy = Buffer.from(bytes);
  const middle = Math.floor(copy.length / 2);
  if (flight === 1) copy[middle] = (copy[middle] ?? 0) ^ 0xff;
  return copy;
};

/** A transport that stands between TLS and the socket. A flight ends when the client speaks again. */
function tampered(socket: Socket, tamper: Tamper): Duplex {
  let flight = 0;
  let clientSpoke = false;
  const between = new Duplex({
    read: () => socket.resume(),
    write(bytes: Buffer, _encoding, done) {
      if (clientSpoke) flight += 1;
      clientSpoke = false;
      const sent = tamper(bytes, flight);
      if (sent === undefined || !socket.writable) done();
      else socket.write(sent, () => done());
    },
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  socket.on('data', (bytes: Buffer) => {
    clientSpoke = true;
    if (!between.push(bytes)) socket.pause();
  });
  socket.on('close', () => between.destroy());
  return between;
}
