import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { peerNetwork } from './client-network.ts';
import { createFairShare } from './fair-share.ts';

/**
 * Connections are shared out by client address, as places are by account: nobody holds all of them, however slowly its
 * requests come. What goes beyond a client's share is closed unread. All clients of a proxy are one to this limit, which
 * is why the proxy alone may hold four fifths.
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
 * As many connections as are wanted, but no more than half of the files that the process may have open: the other half
 * is for mail hosts, resolvers and the store.
 */
export function connectionsWithin(wanted: number, openFiles = openFilesLimit()): number {
  return Math.min(wanted, Math.max(1, Math.floor(openFiles / 2)));
}

/** Where the system does not tell (anywhere but Linux), there is no limit known. */
function openFilesLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}
