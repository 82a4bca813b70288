/** The server's side of a STARTTLS upgrade, sound or with a fault in it. */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { SecureContext } from 'node:tls';
import type { TlsFault } from './tls-fault.ts';

/** Called once the handshake is done, with the round trips it took. */
type OnSecure = (stream: Duplex, roundTrips: number) => void;

export function secureStream(socket: Socket, fault: TlsFault | undefined, onSecure: OnSecure): void {
  if (fault !== undefined) throw new Error(`not there yet: ${fault}`);
  upgrade(socket, soundContext(), onSecure);
}

function upgrade(transport: Duplex, secureContext: SecureContext, onSecure: OnSecure): void {
  const stream = new TLSSocket(transport, { isServer: true, secureContext });
  stream.once('secure', () => onSecure(stream, stream.getProtocol() === 'TLSv1.3' ? 1 : 2));
  stream.on('error', () => transport.destroy());
}

const certificates = new URL('../certificates/', import.meta.url);

function soundContext(): SecureContext {
  const cert = readFileSync(new URL('test-only-certificate.pem', certificates));
  const key = readFileSync(new URL('test-only-key.pem', certificates));
  return createSecureContext({ cert, key });
}
