import { createSocket } from 'node:dgram';
import { isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Clock } from '../clock.ts';
import type { Cidr } from '../ip-address.ts';
import type { RouteSetting } from '../politeness/policy.ts';
import { judgeAddress } from './judge-address.ts';

/** Returns the addresses of this machine's interfaces at this moment. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((entries = []) =>
    // A link-local address may carry its zone, which is no part of the address.
    entries.map(({ address }) => address.split('%')[0] ?? address),
  );
}

const lookEveryMs = 1_000;

/** Returns the same, read anew at most once a second: interfaces come and go, but not between two dials. */
export function watchOwnAddresses(clock: Pick<Clock, 'now'>): () => readonly string[] {
  let seen: { at: number; addresses: string[] } | undefined;
  return () => {
    if (seen === undefined || clock.now() - seen.at >= lookEveryMs) {
      seen = { at: clock.now(), addresses: ownAddresses() };
    }
    return seen.addresses;
  };
}

/**
 * Returns the addresses that mail hosts see the connections of a route come from. An empty list means unknown:
 * behind NAT or a proxy, with no address stated.
 *
 * A statement by the operator wins: `publicAddresses` of the route, then MAILPROOF_PUBLIC_ADDRESS for a route that
 * leaves from this machine by an address that is not public. Otherwise it is the address that the system leaves
 * from.
 */
export async function seenAddresses(
  route: RouteSetting,
  { stated, leavesFrom }: { stated: readonly string[]; leavesFrom?: LeavesFrom | undefined },
): Promise<string[]> {
  return (await waysOf(route, { stated, leavesFrom })).flatMap(({ seenFrom }) => seenFrom);
}

/** One address family in which a route leaves, and its addresses as mail hosts see them; empty if they are unknown. */
export type EgressWay = { family: 4 | 6; seenFrom: string[] };

/** Returns the families in which a route leaves: the system has a way out in them, or an address of them is stated. */
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
  // Stated addresses are the only ones a route has.
  return publicAddresses === undefined ? ways : ways.filter(({ seenFrom }) => seenFrom.length > 0);
}

/** Whether an address is public, and not in a block that the operator opened. */
export function isPublicAddress(address: string, opened: readonly Cidr[] = []): boolean {
  return judgeAddress(address, { allow: opened, ownAddresses: [] }).kind === 'public';
}

/** Returns the address that the system would leave from; nothing if it has no way out of that family. */
export type LeavesFrom = (family: 4 | 6) => Promise<string | undefined>;

/** Addresses of no special meaning. Nothing is sent there: connecting a UDP socket only chooses its way. */
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

type Ipv6Parts = {
  routes: readonly RouteSetting[];
  allow: readonly Cidr[];
  /** Addresses of this machine. The same list is returned until it is read anew. */
  ownAddresses: () => readonly string[];
  /** Whether another process may ask mail hosts, of whose network nothing is known here. */
  mayAskElsewhere: () => boolean;
};

/**
 * Returns whether a mail host may be reached over IPv6. It may if this machine has a public IPv6 address, or if the
 * operator opened an IPv6 block or leaves from an IPv6 address. It also may if a proxy or another process asks,
 * which may have IPv6.
 */
export function createReachesIpv6(parts: Ipv6Parts): () => boolean {
  const isSetUp = parts.routes.some(leavesOverIpv6) || parts.allow.some(({ family }) => family === 6);
  let looked: { at: readonly string[]; isPublic: boolean } | undefined;

  function hasPublicAddress(): boolean {
    const addresses = parts.ownAddresses();
    if (looked?.at !== addresses) looked = { at: addresses, isPublic: addresses.some(isPublicIpv6) };
    return looked.isPublic;
  }
  return () => isSetUp || hasPublicAddress() || parts.mayAskElsewhere();
}

function leavesOverIpv6(route: RouteSetting): boolean {
  return route.kind !== 'direct' || (route.localAddress !== undefined && isIPv6(route.localAddress));
}

function isPublicIpv6(address: string): boolean {
  return isIPv6(address) && judgeAddress(address, { allow: [], ownAddresses: [] }).kind === 'public';
}
