import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';

/** A proxy as in front of many services: it ends TLS, forwards plain bytes, and drops connections. */
type TlsProxy = {
  url: string;
  /** For `NODE_EXTRA_CA_CERTS` of a client. */
  certificateFile: string;
  /** Returns how many connections it has taken. */
  taken: () => number;
  drop: () => void;
  close: () => Promise<void>;
};

const certificates = join(import.meta.dirname, 'certificates');
const certificateFile = join(certificates, 'test-only-certificate.pem');

export async function startTlsProxy(centre: string): Promise<TlsProxy> {
  const { hostname, port } = new URL(centre);
  const sockets = new Set<Socket>();
  let taken = 0;
  const cert = readFileSync(certificateFile);
  const key = readFileSync(join(certificates, 'test-only-key.pem'));
  const server = createServer({ cert, key }, (near) => {
    taken += 1;
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const drop = () => sockets.forEach((socket) => socket.destroy());
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificateFile,
    taken: () => taken,
    drop,
    close: async () => {
      drop();
      server.close();
      await once(server, 'close');
    },
  };
}
