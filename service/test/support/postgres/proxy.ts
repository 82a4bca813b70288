import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A loopback relay in front of a database: connections through it can be cut, frozen or refused. */
type Proxy = {
  url: string;
  /** Closes open connections; new ones are let through. */
  cut: () => void;
  /** Stops all data in both directions, and closes nothing. */
  freeze: () => void;
  thaw: () => void;
  /** Refuses new connections until `accept`. */
  refuse: () => void;
  accept: () => void;
  /** Leads new connections to another server, like a moved name or address. Open connections are cut. */
  leadTo: (target: string) => void;
  close: () => Promise<void>;
};

export async function startProxy(target: string): Promise<Proxy> {
  let { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let mode: 'open' | 'frozen' | 'refusing' = 'open';

  const server = createServer((near) => {
    if (mode === 'refusing') {
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('data', (chunk) => to.write(chunk));
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (mode === 'frozen') from.pause();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = new URL(target);
  url.port = String(address.port);

  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    freeze: () => {
      mode = 'frozen';
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      mode = 'open';
      for (const socket of sockets) socket.resume();
    },
    refuse: () => {
      mode = 'refusing';
      cut();
    },
    accept: () => {
      mode = 'open';
    },
    leadTo: (other) => {
      ({ hostname, port } = new URL(other));
      cut();
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
