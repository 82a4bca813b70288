/** The server's side of a STARTTLS upgrade, sound or with a fault in it. */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createSecureContext, type SecureContext, type SecureContextOptions, TLSSocket } from 'node:tls';
import type { TlsFault } from './temper.ts';

/** Called after the handshake, with its round trips. */
type OnSecure = (stream: Duplex, roundTrips: number) => void;

type Upgrade = { socket: Socket; contexts: TlsContexts; fault: TlsFault | undefined };

/** Returns the bytes that the host sends in a flight, numbered from 1; nothing if it stalls. */
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

/** The host swallowed the end of the handshake and believes it done; the client still waits. */
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

/** Returns a transport between TLS and the socket. A flight ends when the client speaks again. */
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

/** The certificates of the world's mail hosts, made once per world and only when needed. */
export type TlsContexts = { forFault(fault: TlsFault | undefined): SecureContext };

const certificates = new URL('../certificates/', import.meta.url);
const hugeChainBytes = 200 * 1_024;

export function tlsContexts(): TlsContexts {
  const made = new Map<TlsFault | undefined, SecureContext>();
  return {
    forFault(fault) {
      const context = made.get(fault) ?? createSecureContext(optionsFor(fault));
      made.set(fault, context);
      return context;
    },
  };
}

function optionsFor(fault: TlsFault | undefined): SecureContextOptions {
  const cert = readFileSync(new URL('test-only-certificate.pem', certificates), 'utf8');
  const key = readFileSync(new URL('test-only-key.pem', certificates), 'utf8');
  switch (fault) {
    case 'huge_chain':
      return { key, cert: cert.repeat(timesToReach(hugeChainBytes, cert)) };
    case 'old_version':
      // OpenSSL speaks TLS 1.1 only at its lowest security level.
      return { key, cert, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    case 'stall_before_finished':
      // In TLS 1.3 the server's Finished is part of its first flight.
      return { key, cert, maxVersion: 'TLSv1.2' };
    case 'refused':
    case 'garbage':
    case 'close':
    case 'reset':
    case 'stall_before_hello':
    case 'stall_inside_hello':
    case 'stall_after_handshake':
    case 'bad_record':
    case 'injected_reply':
    case undefined:
      return { key, cert };
  }
}

/** PEM is four thirds of the bytes on the wire. */
function timesToReach(bytes: number, pem: string): number {
  return Math.ceil((bytes * 4) / 3 / pem.length) + 1;
}
