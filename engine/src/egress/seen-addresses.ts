import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import type { RouteSetting } from '../politeness/policy-file.ts';
import { judgeAddress } from './judge-address.ts';

/**
 * The addresses that mail hosts see the connections of a route come from. An empty list means that nobody here can know: behind NAT or a proxy nothing was stated.
 *
 * What the operator states wins: `publicAddresses` of the route, then MAILPROOF_PUBLIC_ADDRESS for a route that leaves
 * from this machine by an address that is not public. Otherwise it is the address that the system leaves from.
 */
export async function seenAddresses(
  route: RouteSetting,
  { stated, leavesFrom = systemLeavesFrom }: { stated: readonly string[]; leavesFrom?: LeavesFrom },
): Promise<string[]> {
  if (route.publicAddresses !== undefined) return [...route.publicAddresses];
  if (route.kind !== 'direct') return [];
  const families = route.localAddress === undefined ? [4, 6] : [isIP(route.localAddress)];
  const seen: string[] = [];
  for (const family of families) {
    const local = route.localAddress ?? (await leavesFrom(family === 6 ? 6 : 4));
    if (local !== undefined && isPublicAddress(local)) seen.push(local);
    // A machine without any address of a family leaves by none of it, whatever is stated.
    else if (local !== undefined) seen.push(...stated.filter((address) => isIP(address) === family));
  }
  return seen;
}

/** Whether an address is one that anybody on the internet may have. */
export function isPublicAddress(address: string): boolean {
  return judgeAddress(address, { allow: [], ownAddresses: [] }).kind === 'public';
}

/** Returns the address that the system would leave from; nothing if it has no way out of that family. */
export type LeavesFrom = (family: 4 | 6) => Promise<string | undefined>;

/** Addresses of no special meaning. Nothing is sent there: a UDP socket that is connected has only chosen its way. */
const anywhere = { 4: '193.0.14.129', 6: '2001:7fd::1' } as const;

const systemLeavesFrom: LeavesFrom = (family) =>
  new Promise((resolve) => {
    const socket = createSocket(family === 4 ? 'udp4' : 'udp6');
    const answer = (address: string | undefined): void => {
      socket.close();
      resolve(address);
    };
    socket.on('error', () => answer(undefined));
    socket.connect(25, anywhere[family], () => answer(socket.address().address));
  });
