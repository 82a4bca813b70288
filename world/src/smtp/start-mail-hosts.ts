/**
 * Starts every mail host of the world. All share one port number, because a client has one setting for it; each has its
 * own loopback address.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { converse } from './converse.ts';
import type { MailHost } from './mail-host.ts';
import type { SmtpRecord } from './record.ts';

type MailHosts = {
  port: number;
  /** Hosts on an address that this machine lacks (IPv6 switched off). */
  absent: string[];
  stop(): Promise<void>;
};

type Listeners = { servers: Server[]; absent: string[] };

const portAttempts = 20;
const backlog = 4_096;

export async function startMailHosts(
  hosts: MailHost[],
  record: SmtpRecord,
  wantedPort: number,
): Promise<MailHosts> {
  const sockets = new Set<Socket>();
  const serve = (host: MailHost) =>
    createServer({ noDelay: true }, (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      converse(socket, host, record);
    });
  const living = hosts.filter((host) => host.temper.dead !== true);
  const port = wantedPort;
  const found = await listenEverywhere(living, serve, { port, attempts: portAttempts });
  return {
    port: found.port,
    absent: found.absent,
    async stop() {
      record.closing = true;
      const closed = found.servers.map((server) => once(server.close(), 'close'));
      const gone = [...sockets].map(
        (socket) => new Promise((resolve) => socket.once('close', resolve).destroy()),
      );
      await Promise.all([...closed, ...gone]);
    },
  };
}

/** Listens on one port that is free on every address. If no port was asked for, it tries several. */
async function listenEverywhere(
  hosts: MailHost[],
  serve: (host: MailHost) => Server,
  want: { port: number; attempts: number },
): Promise<Listeners & { port: number }> {
  const up: Listeners = { servers: [], absent: [] };
  let port = want.port;
  try {
    for (const host of hosts) {
      const server = await listen(serve(host), port, host.address);
      if (server === undefined) up.absent.push(host.name);
      else up.servers.push(server);
      if (port === 0 && server !== undefined) port = portOf(server);
    }
    return { ...up, port };
  } catch (error) {
    for (const server of up.servers) server.close();
    if (want.port !== 0 || want.attempts <= 1 || codeOf(error) !== 'EADDRINUSE') throw error;
    return listenEverywhere(hosts, serve, { port: 0, attempts: want.attempts - 1 });
  }
}

async function listen(server: Server, port: number, host: string): Promise<Server | undefined> {
  server.listen({ port, host, backlog });
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    const code = codeOf(error);
    if (host.includes(':') && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) return undefined;
    throw error;
  }
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a mail host listens on no port');
  return address.port;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
