/**
 * The places to dial for a domain, one after the other: two addresses of the first host, two of the next, and so on.
 * Further addresses of the hosts come last. So a dead first host with many addresses does not use up the few
 * attempts of a verification. An attempt without an answer does not count: a row of dead hosts is walked to its end,
 * as a patient sender does.
 *
 * Names after the first are resolved only when a further target is wanted, and each name once: its addresses are
 * dialled even if it would resolve to others later. The IPv6 addresses of a host with IPv4 addresses come behind
 * those, and are looked up when their turn has come.
 */
import { isIPv4 } from 'node:net';
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import { withItem } from '../with-item.ts';
import {
  ipv6AddressesOf,
  resolveHost,
  type MailHost,
  type MailRoute,
  type MailTarget,
  type HostParts,
} from './mail-route.ts';

const ADDRESSES_AT_FIRST = 2;

/** A host whose name is resolved, and how many of its addresses were taken from it. */
type HostAtHand = {
  name: CanonicalHost;
  addresses: readonly string[];
  taken: number;
  /** Whether its IPv6 addresses are known to be among these. */
  isComplete: boolean;
};

/**
 * The search of one probe. Every probe that waits for a conversation holds one, so it is a record and not a
 * suspended function.
 */
type TargetSearch = {
  route: MailRoute & { kind: 'takes_mail' };
  parts: HostParts;
  patience: Patience;
  hosts: HostAtHand[];
  /** Which of the hosts is at hand, and whether for its first two addresses or for the rest of them. */
  at: number;
  round: 'first' | 'rest';
  /** How many of the further names were resolved, and how many more may be. */
  resolved: number;
  lookupsLeft: number;
  given: MailTarget[];
  /** How many of the given targets do not count. */
  free: number;
};

type MailTargets = AsyncIterableIterator<MailTarget, undefined> & {
  /** Returns the first target at once: it is known beforehand, and few probes need another. */
  first(): MailTarget;
  /** Notes that the last target gave no answer, or was not dialled: it does not count. */
  wasFree(): void;
};

export function mailTargets(
  route: MailRoute & { kind: 'takes_mail' },
  parts: HostParts,
  patience: Patience,
): MailTargets {
  const search: TargetSearch = {
    route,
    parts,
    patience,
    hosts: [hostAtHand(route.first)],
    at: 0,
    round: 'first',
    resolved: 0,
    lookupsLeft: lookupsLeft(route, parts.limits),
    given: [],
    free: 0,
  };
  return {
    first: () => firstTarget(search),
    wasFree: () => noteFree(search),
    next: () => nextTarget(search),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function noteFree(search: TargetSearch): void {
  const { given } = search;
  if (search.free >= search.parts.limits.mailAddressesRefusing) return;
  search.free += 1;
  // The name that led there does not count either, once.
  if (given.length === 1 || given.at(-2)?.host !== given.at(-1)?.host) search.lookupsLeft += 1;
}

function firstTarget(search: TargetSearch): MailTarget {
  const host = search.hosts[0];
  if (host === undefined || host.taken > 0) throw new Error('the first mail host has been given');
  const target = takeFrom(host);
  search.given = [target];
  return target;
}

async function nextTarget(search: TargetSearch): Promise<IteratorResult<MailTarget, undefined>> {
  while (search.given.length - search.free < search.parts.limits.mailAddresses) {
    const host = search.hosts[search.at];
    if (host === undefined) {
      if (!(await beginNextHost(search))) break;
    } else if (search.round === 'first' && host.taken === ADDRESSES_AT_FIRST) {
      search.at += 1;
    } else if (host.taken === host.addresses.length) {
      if (host.isComplete) search.at += 1;
      else await addIpv6Addresses(host, search);
    } else {
      const target = takeFrom(host);
      // Two names of one machine are one place to dial.
      if (search.given.some(({ address }) => address === target.address)) continue;
      search.given = withItem(search.given, target);
      return { done: false, value: target };
    }
  }
  return { done: true, value: undefined };
}

function takeFrom(host: HostAtHand): MailTarget {
  const address = host.addresses[host.taken];
  if (address === undefined) throw new Error('a mail host has no further address');
  host.taken += 1;
  return { host: host.name, address };
}

async function addIpv6Addresses(host: HostAtHand, { parts, patience }: TargetSearch): Promise<void> {
  host.isComplete = true;
  // Without IPv4 addresses the IPv6 addresses are known already.
  if (!host.addresses.every((address) => isIPv4(address))) return;
  const further = await ipv6AddressesOf(host.name, parts, patience);
  if (further.length > 0) host.addresses = host.addresses.concat(further);
}

/** Goes on to the next host, or at the end to the rest of what the hosts have; false when there is no more. */
async function beginNextHost(search: TargetSearch): Promise<boolean> {
  const { route, parts, patience, hosts } = search;
  const name = search.lookupsLeft > 0 ? route.further[search.resolved] : undefined;
  if (name === undefined) {
    if (search.round === 'rest') return false;
    search.round = 'rest';
    search.at = 0;
    return true;
  }
  search.round = 'first';
  search.resolved += 1;
  search.lookupsLeft -= 1;
  const host = await resolveHost(name, parts, patience);
  if (host.kind === 'resolves') hosts.push(hostAtHand({ name, addresses: host.addresses }));
  return true;
}

function hostAtHand({ name, addresses }: MailHost): HostAtHand {
  return { name, addresses, taken: 0, isComplete: false };
}

/** Finding the first host took one lookup for it and for each name before it; the rest are for the others. */
function lookupsLeft(route: { mxRecords: CanonicalHost[]; first: MailHost }, limits: Limits): number {
  return Math.max(0, limits.mailHostLookups - (route.mxRecords.indexOf(route.first.name) + 1));
}
