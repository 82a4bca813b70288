import { hash } from 'node:crypto';
import { isIP } from 'node:net';
import type { BoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { MailTarget } from '../dns/mail-route.ts';
import { identityUnchecked, type IdentityWatch } from '../identity/watch-identity.ts';
import type { Patience } from '../patience.ts';
import type { HostPolicy } from '../politeness/policy.ts';
import type { RouteDialOutcome } from './create-route-dialer.ts';
import type { RouteHealth } from './route-health.ts';
import type { RouteVolume, WallClock } from './route-volume.ts';

export type Route = {
  id: string;
  heloName: string;
  mailFrom: string;
  dial(target: MailTarget, patience: Patience): Promise<RouteDialOutcome>;
};

export type RouteRequest = {
  group: string;
  /** An IP literal. */
  address: string;
  /** Ids of the routes that may be used; none means any. */
  allowed: readonly string[] | undefined;
  /** The id of the route to try before the others. */
  preferred?: string | undefined;
};

export type RouteChoice =
  | { kind: 'route'; route: Route }
  /** `waitMs`: when the answer may change. */
  | { kind: 'none'; why: 'all_resting' | 'volume_spent'; waitMs: number }
  | { kind: 'none'; why: 'none_allowed' }
  /** Every route is closed, because block lists have its address. */
  | { kind: 'none'; why: 'closed' }
  /** The provider bans the address that would ask it. */
  | { kind: 'none'; why: 'banned'; waitMs: number }
  /** `identity_checking`: the lookup whether the HELO name and the sender are ours is under way. */
  | { kind: 'none'; why: 'identity_checking' | 'identity_unproven' }
  /** `lapsed`: one of the routes may be ours again in a moment. */
  | { kind: 'none'; why: 'lapsed' | 'not_ours' };

/** A route that may be chosen, with all that speaks for it or against it. */
export type CandidateRoute = {
  route: Route;
  /** The choice of this route; the same object each time. */
  chosen: RouteChoice;
  health: RouteHealth;
  volume: RouteVolume;
};

export type ChoosingParts = {
  clock: Clock;
  wallClock: WallClock;
  /** Which routes are closed, and which providers ban one; without it none. */
  reputation?: {
    of(egress: string): unknown;
    /** On the wall's clock. */
    bannedUntil(egress: string, group: string): number | undefined;
  };
  /** Whether mail hosts may be asked under the name of a route; without it they may. */
  identity?: IdentityWatch;
  /** Whether an address is public, and not one that the operator opened. */
  isPublic?: (address: string) => boolean;
};

/** Returns the routes under whose name a host may be asked. Hosts in blocks that the operator opened ask for none. */
export function provenRoutes(
  open: readonly CandidateRoute[],
  address: string,
  { identity = identityUnchecked, isPublic }: ChoosingParts,
): readonly CandidateRoute[] {
  if (identity.areAllProven() || isPublic?.(address) !== true) return open;
  return those(open, ({ route }) => identity.of(route.id, familyOf(address)) === 'proven');
}

export function unproven(
  open: readonly CandidateRoute[],
  address: string,
  { identity = identityUnchecked }: ChoosingParts,
): RouteChoice {
  const isChecking = open.some(({ route }) => identity.of(route.id, familyOf(address)) === 'checking');
  return { kind: 'none', why: isChecking ? 'identity_checking' : 'identity_unproven' };
}

function familyOf(address: string): 4 | 6 {
  return isIP(address) === 6 ? 6 : 4;
}

/** Chooses among our routes: the open ones, in the order of the group, unless it bans the first. */
export function chooseOpen(
  open: readonly CandidateRoute[],
  request: RouteRequest,
  { refusals, parts }: { refusals: BoundedCache<string>; parts: ChoosingParts },
): RouteChoice {
  const { group, preferred } = request;
  const { reputation, clock, wallClock } = parts;
  const standing = those(open, ({ route }) => reputation?.of(route.id) === undefined);
  if (standing.length === 0) return { kind: 'none', why: 'closed' };
  const inOrder = inOrderFor(group, withoutDodging(standing, request, refusals), preferred);
  const first = inOrder[0];
  if (first === undefined)
    return resting(Math.max(...refusalKeys(request).map((key) => refusals.lifeOf(key))));
  const bannedUntil = reputation?.bannedUntil(first.route.id, group);
  if (bannedUntil !== undefined)
    return { kind: 'none', why: 'banned', waitMs: bannedUntil - wallClock.now() };
  return firstFit(inOrder, group, clock);
}

/**
 * Filters a list, and returns the list itself if all of it passes, which is usual: a route is chosen for every
 * conversation.
 */
export function those<Item>(items: readonly Item[], passes: (item: Item) => boolean): readonly Item[] {
  return items.every(passes) ? items : items.filter(passes);
}

/** Leaves out every other route to a host that refused us on one. */
function withoutDodging(
  open: readonly CandidateRoute[],
  by: { group: string; address: string },
  refusals: BoundedCache<string>,
): readonly CandidateRoute[] {
  if (refusals.size() === 0) return open;
  const keys = refusalKeys(by).filter((key) => refusals.peek(key) !== undefined);
  return open.filter((watched) => keys.every((key) => refusals.peek(key) === watched.route.id));
}

/** Returns the keys under which a refusal is remembered. */
export function refusalKeys({ group, address }: { group: string; address?: string }): string[] {
  return address === undefined ? [`group ${group}`] : [`group ${group}`, `address ${address}`];
}

function inOrderFor(
  group: string,
  routes: readonly CandidateRoute[],
  preferred: string | undefined,
): readonly CandidateRoute[] {
  if (routes.length === 1) return routes;
  const ranked = rankEgress(
    group,
    routes.map(({ route }) => route.id),
  );
  const order = preferred === undefined ? ranked : [preferred, ...ranked.filter((id) => id !== preferred)];
  return order.flatMap((id) => routes.find(({ route }) => route.id === id) ?? []);
}

function firstFit(routes: readonly CandidateRoute[], group: string, clock: Clock): RouteChoice {
  const fit = those(routes, ({ health }) => health.restsUntil(group) === undefined);
  if (fit.length === 0) {
    const now = clock.now();
    return resting(Math.min(...routes.map(({ health }) => health.restsUntil(group) ?? now)) - now);
  }
  const watched = fit.find(hasRoomToday);
  if (watched === undefined) return spent(Math.min(...fit.map(({ volume }) => volume.dayWaitMs())));
  const waitMs = watched.volume.minuteWaitMs();
  return waitMs > 0 ? spent(waitMs) : watched.chosen;
}

const hasRoomToday = ({ volume }: CandidateRoute): boolean => volume.dayWaitMs() === 0;

const resting = (waitMs: number): RouteChoice => ({ kind: 'none', why: 'all_resting', waitMs });
const spent = (waitMs: number): RouteChoice => ({ kind: 'none', why: 'volume_spent', waitMs });

/**
 * Ranks the egress addresses for a name. Rendezvous hashing: each pair of a name and an egress address has its rank,
 * and no pair's rank depends on another address. So the same group of hosts meets the same address for as long as
 * that one is fit, with no memory and over every restart. If an address goes or comes, only its own groups move.
 */
export function rankEgress(name: string, egress: readonly string[]): string[] {
  if (egress.length <= 1) return [...egress];
  return egress
    .map((id) => ({ id, rank: hash('sha256', `${id}\n${name}`) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1))
    .map(({ id }) => id);
}

/**
 * Returns the order in which egress addresses are tried for a mailbox. If a group is spread over the `spread` best,
 * each mailbox has its own among them, always the same.
 */
export function egressFor(
  { group, spread, mailbox }: { group: string; spread: number; mailbox: string },
  egress: readonly string[],
): string[] {
  const ranked = rankEgress(group, egress);
  if (spread <= 1) return ranked;
  return [...rankEgress(mailbox, ranked.slice(0, spread)), ...ranked.slice(spread)];
}

/** Returns the egress address of a mailbox's own; only a group that is spread has such mailboxes. */
export function ownEgressFor(
  mailbox: string,
  { group, spread, routes: allowed }: Pick<HostPolicy, 'group' | 'spread' | 'routes'>,
  egress: readonly string[],
): string | undefined {
  if (spread <= 1 || egress.length <= 1) return undefined;
  const usable = egress.filter((id) => allowed?.includes(id) !== false);
  return egressFor({ group, spread, mailbox }, usable)[0];
}
