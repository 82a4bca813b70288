import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import type { Cidr } from '../net/parse-cidr.ts';
import type { RouteSetting } from '../politeness/policy-file.ts';
import { judgeAddress } from './judge-address.ts';

/**
 * The addresses that mail hosts see the connections of a route come from. An empty list means that nobody here can
 * know: behind NAT or a proxy nothing was stated.
 *
 * What the operator states wins: `publicAddresses` of the route, then MAILPROOF_PUBLIC_ADDRESS for a route that leaves
 * from this machine by an address that is not public. Otherwise it is the address that the system leaves from.
 */
export async function seenAddresses(
  route: RouteSetting,
  { stated, leavesFrom }: { stated: readonly string[]; leavesFrom?: LeavesFrom | undefined },
): Promise<string[]> {
  return (await waysOf(route, { stated, leavesFrom })).flatMap(({ seenFrom }) => seenFrom);
}

/** One address family in which a route leaves, and where mail hosts see it come from; empty if nobody here knows. */
export type EgressWay = { family: 4 | 6; seenFrom: string[] };

/** The families in which a route leaves: those that the system has a way out of, or that an address is stated of. */
export async function waysOf(
  route: RouteSetting,
  { stated, leavesFrom = systemLeavesFrom }: Parameters<typeof seenAddresses>[1],
): Promise<EgressWay[]> {
  const { publicAddresses } = route;
  const ofFamily = (addresses: readonly string[], family: 4 | 6): string[] =>
    addresses.filter((address) => isIP(address) === family);
  const ways: EgressWay[] = [];
  for (const family of [4, 6] as const) {
    if (publicAddresses !== undefined || route.kind !== 'direct') {
      ways.push({ family, seenFrom: ofFamily(publicAddresses ?? [], family) });
      continue;
    }
    const { localAddress } = route;
    const local = localAddress === undefined ? await leavesFrom(family) : ofFamily([localAddress], family)[0];
    const isOpen = local !== undefined && isPublicAddress(local);
    const seenFrom = isOpen ? [local] : ofFamily(stated, family);
    if (local !== undefined || seenFrom.length > 0) ways.push({ family, seenFrom });
  }
  // What is stated of a route is all that there is of it.
  return publicAddresses === undefined ? ways : ways.filter(({ seenFrom }) => seenFrom.length > 0);
}

/** Whether an address is one that anybody on the internet may have, and not in a block that the operator opened. */
export function isPublicAddress(address: string, opened: readonly Cidr[] = []): boolean {
  return judgeAddress(address, { allow: opened, ownAddresses: [] }).kind === 'public';
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
