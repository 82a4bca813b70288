import type { Cidr } from '../net/parse-cidr.ts';
import { isIPv6 } from 'node:net';
import type { RouteSetting } from '../politeness/policy-file.ts';
import { judgeAddress } from './judge-address.ts';

type Ipv6Parts = {
  routes: readonly RouteSetting[];
  allow: readonly Cidr[];
  /** Of this machine. The same list is given until it is looked at anew. */
  ownAddresses: () => readonly string[];
  /** Whether somebody else than this process may ask mail hosts, of whose network nothing is known here. */
  mayAskElsewhere: () => boolean;
};

/**
 * Whether a mail host may be reached over IPv6: this machine has a public address of that family, the operator opened a
 * block of it or leaves from such an address, or a proxy or another process asks, which may have what we have not.
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
