/**
 * The places to dial for a domain, one after the other: two addresses of the first host, two of the
 * next, and so on; what the hosts have beyond two comes last. A dead first host with many addresses
 * therefore does not use up the few attempts that a verification has. An attempt that cost no time is not counted
 * among those few: a row of hosts that refuse at once is walked to its end.
 *
 * Names after the first are resolved only when somebody asks for a further target, and each name
 * once: what it resolved to is what is dialled, whatever it would resolve to later.
 */
import type { Limits } from '../limits.ts';
import type { Patience } from '../patience.ts';
import type { CanonicalHost } from '../syntax/address.ts';
import type { MailHost, MailRoute, MailTarget } from './mail-route.ts';
import { resolveHost, type HostParts } from './resolve-host.ts';

const ADDRESSES_AT_FIRST = 2;

/** Everybody who waits for a conversation holds one of these, so it is a record and not a suspended function. */
type TargetSearch = {
  /** Of the host at hand. */
  ready: MailTarget[];
  /** What the hosts so far have beyond their first two. */
  leftOver: MailTarget[];
  /** Names that are yet to be resolved, and how many of them may be. */
  names: CanonicalHost[];
  lookupsLeft: number;
  given: MailTarget[];
  /** How many of those given cost nothing. */
  free: number;
};

type MailTargets = AsyncIterableIterator<MailTarget> & {
  /** The place that was given last refused at once, or was not dialled: it does not count. */
  wasFree(): void;
};

export function mailTargets(
  route: MailRoute & { kind: 'takes_mail' },
  parts: HostParts,
  patience: Patience,
): MailTargets {
  const search: TargetSearch = {
    ...firstAddresses(route.first),
    names: [...route.further],
    lookupsLeft: lookupsLeft(route, parts.limits),
    given: [],
    free: 0,
  };
  return {
    wasFree: () => noteFree(search, parts.limits),
    async next() {
      const value = await nextTarget(search, parts, patience);
      return value === undefined ? { done: true, value } : { done: false, value };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function noteFree(search: TargetSearch, { mailAddressesRefusing }: Limits): void {
  if (search.free >= mailAddressesRefusing) return;
  search.free += 1;
  const [before, last] = search.given.slice(-2).map(({ host }) => host);
  // The name that led there does not count either, once.
  if (search.given.length === 1 || before !== last) search.lookupsLeft += 1;
}

async function nextTarget(
  search: TargetSearch,
  parts: HostParts,
  patience: Patience,
): Promise<MailTarget | undefined> {
  while (search.given.length - search.free < parts.limits.mailAddresses) {
    const target = search.ready.shift();
    // Two names of one machine are one place to dial.
    if (target !== undefined && !search.given.some(({ address }) => address === target.address)) {
      search.given = search.given.concat(target);
      return target;
    }
    if (target === undefined && !(await beginNextHost(search, parts, patience))) return undefined;
  }
  return undefined;
}

/** Goes on to the next host, or at the end to what was left over; false when there is no more. */
async function beginNextHost(search: TargetSearch, parts: HostParts, patience: Patience): Promise<boolean> {
  const name = search.lookupsLeft > 0 ? search.names.shift() : undefined;
  if (name === undefined) {
    Object.assign(search, { ready: search.leftOver, leftOver: [] });
    return search.ready.length > 0;
  }
  search.lookupsLeft -= 1;
  const host = await resolveHost(name, parts, patience);
  if (host.kind !== 'resolves') return true;
  const { ready, leftOver } = firstAddresses({ name, addresses: host.addresses });
  search.ready = ready;
  search.leftOver = [...search.leftOver, ...leftOver];
  return true;
}

function firstAddresses({ name: host, addresses }: MailHost): Pick<TargetSearch, 'ready' | 'leftOver'> {
  const targets = addresses.map((address) => ({ host, address }));
  return { ready: targets.slice(0, ADDRESSES_AT_FIRST), leftOver: targets.slice(ADDRESSES_AT_FIRST) };
}

/** Finding the first host took one lookup for it and for each name before it; the rest are for the others. */
function lookupsLeft(route: { mxRecords: CanonicalHost[]; first: MailHost }, limits: Limits): number {
  return Math.max(0, limits.mailHostLookups - (route.mxRecords.indexOf(route.first.name) + 1));
}
