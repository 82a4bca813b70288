import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { peerNetwork } from './client-network.ts';
import { createFairShare } from './fair-share.ts';

/**
 * Shares connections among client addresses, as places are shared among accounts: no client holds all of them,
 * however slow its requests. Connections beyond a client's share are closed unread. All clients of a proxy count as
 * one, which is why the proxy alone may hold four fifths.
 */
export function limitConnections(server: Server, connections: number): void {
  server.maxConnections = connections;
  const share = createFairShare(connections);
  server.on('connection', (socket) => {
    const client = peerNetwork(socket);
    if (!share.mayTake(client)) {
      socket.destroy();
      return;
    }
    share.take(client);
    socket.once('close', () => share.giveBack(client));
  });
}

/**
 * Returns the wanted number of connections, but at most half of the open files of the process. The other half is
 * for mail hosts, resolvers and the store.
 */
export function connectionsWithin(wanted: number, openFiles = openFilesLimit()): number {
  return Math.min(wanted, Math.max(1, Math.floor(openFiles / 2)));
}

/** Returns the limit of open files; infinite if the system does not tell (anywhere but Linux). */
function openFilesLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}
