import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';

/**
 * Begins TLS on a connection whose host said "go ahead". Certificates are not checked: a mail host's is
 * as often as not its own, and a verification proves nothing about who answered. No session is kept, so
 * none can be used at another host.
 */
export function secureSocket(tcp: Socket, serverName: string): TLSSocket {
  const secure = connect({
    socket: tcp,
    servername: serverName,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
  });
  secure.disableRenegotiation();
  return secure;
}
