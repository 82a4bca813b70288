import { isIP } from 'node:net';
import { createBoundedCache, type BoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { DialCounts } from '../egress/create-dialer.ts';
import { parseIp } from '../ip-address.ts';
import { routesOr, type RouteSetting } from '../politeness/policy.ts';
import {
  chooseOpen,
  provenRoutes,
  refusalKeys,
  those,
  unproven,
  type CandidateRoute,
  type ChoosingParts,
  type Route,
  type RouteChoice,
  type RouteRequest,
} from './choose-route.ts';
import type { RouteDialer, RouteDialOutcome } from './create-route-dialer.ts';
import { createRouteHealth, type HealthLimits } from './route-health.ts';
import { createRouteVolume } from './route-volume.ts';

/**
 * The routes on which conversations leave. These rules decide which route a mail host is asked on:
 *
 * - The same group leaves from the same route while that one is fit, because a greylisting host knows us by our
 *   address. The choice follows from the names alone, so it needs no memory and survives a restart; the groups
 *   spread evenly over the routes. A route whose minute is full is waited for. Only a route that is spent for the
 *   day, resting or down hands its groups to the next. If a group is spread over several routes, the caller says
 *   which of them comes first.
 * - A route whose address is on a block list is closed, and hands its groups to the next. A provider that bans an
 *   address is not asked from another instead (`reputation/`).
 * - Routes are never rotated to dodge a block. A group or an IP address that blocked us on one route is not asked on
 *   another for `routeRestMs`.
 * - A route that providers block rests (`route-health.ts`), and its volume is bounded (`route-volume.ts`).
 *
 * Only routes that are this process's own are considered (`EgressRights`), and for public mail hosts only those
 * whose HELO name and sender are proven to be ours (`identity/`).
 */
export type Routes = {
  choose(request: RouteRequest): RouteChoice;
  /** Notes the outcome of a choice. `opened` counts towards the volume of a route. */
  note(routeId: string, event: RouteEvent): void;
  /** The states as plain values, for display and for storage. */
  state(): RouteState[];
  /** The same, with the volume that this process alone has sent. */
  own(): RouteState[];
  /** Restores the states that were kept before a restart, or that another process has learnt and counted. */
  restore(states: readonly RouteState[], countedBy?: string): void;
  /** Ends the rests of a route that began before `at` on the wall clock, as the operator asked. */
  endRests(routeId: string, at: number): void;
  /** Counts over all routes together, and over each since the start of this process. */
  counts(): DialCounts & { byRoute: RouteCounts[] };
  /** Why a route is used for no host now, if so. */
  problem(routeId: string): 'down' | 'resting' | undefined;
  /** All routes that are set up, whichever process owns them now. */
  ids: readonly string[];
};

type RouteCounts = { id: string; opened: number; connected: number };

/** `blocked`: the host refused us for our address. It need not say more than its group. */
type RouteEvent = { kind: 'opened' | 'connected' | 'blocked'; group: string; address?: string };

/**
 * The state of a route. Times are on the wall clock and days count from 1970 (UTC), so that a later process can read
 * them.
 */
export type RouteState = {
  id: string;
  day: number;
  openedToday: number;
  connectedToday: number;
  /** The limit for today; `undefined` if none was set. */
  dayLimit: number | undefined;
  firstUsedDay: number | undefined;
  restingUntil: number | undefined;
  restingGroups: { group: string; until: number }[];
  /** Groups and addresses that are asked on no other route until then. */
  refusals: { by: string; until: number }[];
  /** The trouble with the route itself, while it lasts. */
  problem: string | undefined;
};

export type RoutesParts = ChoosingParts & {
  /** Empty means the default route and no other. */
  settings: readonly RouteSetting[];
  defaults: { heloName: string; mailFrom: string };
  limits: HealthLimits;
  /** Which routes are this process's own; without it all are. */
  rights?: EgressRights;
  /** `createRouteDialer` with the parts of the engine's dialer. */
  dialerFor(setting: RouteSetting): RouteDialer;
  /** The warm-up of a route that has none of its own. */
  warmUp?: RouteSetting['warmUp'] | undefined;
  /** Whether a block is held against a route; false if pacing is off. */
  heedsBlocks: boolean;
  /** Called with one line for the operator. */
  onProblem(message: string): void;
};

type WatchedRoute = CandidateRoute & {
  /** The family of a local address; the other family cannot leave from it. */
  family: 4 | 6 | undefined;
  dialer: RouteDialer;
  counts: RouteCounts;
};

export function createRoutes(parts: RoutesParts): Routes {
  const { clock, limits, rights = allEgressIsOurs } = parts;
  const settings = routesOr(parts.settings);
  const byId = new Map(settings.map((setting) => [setting.id, watchRoute(setting, parts)]));
  const all = [...byId.values()];
  const refusals = createBoundedCache<string>({ clock, maxEntries: limits.routeRefusals });
  /** When the operator ended the rests of a route; another process may tell of them a moment later. */
  const endedAt = new Map<string, number>();

  const stateNow = (watched: WatchedRoute) => stateOf(watched, refusals.list(), wallTime(parts));

  function choose(request: RouteRequest): RouteChoice {
    const { address, allowed } = request;
    const usable = those(
      all,
      ({ route, family }) =>
        allowed?.includes(route.id) !== false && (family === undefined || family === isIP(address)),
    );
    if (usable.length === 0) return { kind: 'none', why: 'none_allowed' };
    const open = those(usable, ({ route }) => rights.of(route.id) === 'ours');
    if (open.length === 0) {
      const mayComeBack = usable.some(({ route }) => rights.of(route.id) === 'lapsed');
      return { kind: 'none', why: mayComeBack ? 'lapsed' : 'not_ours' };
    }
    const named = provenRoutes(open, address, parts);
    if (named.length === 0) return unproven(open, address, parts);
    return chooseOpen(named, request, { refusals, parts });
  }

  function note(routeId: string, event: RouteEvent): void {
    const watched = byId.get(routeId);
    if (watched === undefined) return;
    switch (event.kind) {
      case 'opened':
        watched.counts.opened += 1;
        watched.volume.opened();
        return;
      case 'connected':
        watched.counts.connected += 1;
        watched.volume.connected();
        return;
      case 'blocked':
        if (!parts.heedsBlocks) return;
        for (const key of refusalKeys(event)) refusals.set(key, routeId, limits.routeRestMs);
        watched.health.blocked(event.group);
    }
  }

  return {
    ids: [...byId.keys()],
    choose,
    note,
    state: () => all.map(stateNow),
    own: () => all.map((watched) => ({ ...stateNow(watched), ...watched.volume.own() })),
    restore(states, countedBy) {
      for (const state of states) {
        const watched = byId.get(state.id);
        watched?.volume.restore(state, countedBy);
        const begun = begunAfter(state, endedAt.get(state.id) ?? -Infinity, limits.routeRestMs);
        restoreRoute(begun, { watched, refusals }, parts);
      }
    },
    endRests(routeId, at) {
      endedAt.set(routeId, Math.max(at, endedAt.get(routeId) ?? 0));
      byId.get(routeId)?.health.endRests();
      for (const { key, value } of refusals.list()) if (value === routeId) refusals.delete(key);
    },
    problem: (routeId) => problemOf(byId.get(routeId), clock),
    counts: () => ({
      ...sumOf(all.map(({ dialer }) => dialer.counts)),
      byRoute: all.map(({ counts }) => ({ ...counts })),
    }),
  };
}

function problemOf(watched: WatchedRoute | undefined, clock: Clock): 'down' | 'resting' | undefined {
  const { problem, restingUntil } = watched?.health.state() ?? {};
  if (problem !== undefined) return 'down';
  return restingUntil === undefined || restingUntil <= clock.now() ? undefined : 'resting';
}

function watchRoute(setting: RouteSetting, parts: RoutesParts): WatchedRoute {
  const { id, heloName, mailFrom } = setting;
  const health = createRouteHealth({
    clock: parts.clock,
    limits: parts.limits,
    tell: (what) => parts.onProblem(`egress route ${id} ${what}`),
  });
  const dialer = parts.dialerFor(setting);
  const localAddress = setting.kind === 'direct' ? setting.localAddress : undefined;
  function noteDialled(outcome: RouteDialOutcome): RouteDialOutcome {
    if (outcome.kind === 'failed' && outcome.why === 'route_down') health.failed(outcome.problem);
    // A refusal by a mail host shows that the way to it is whole; a time-out shows nothing.
    else if (outcome.kind === 'connected' || outcome.why === 'refused') health.succeeded();
    return outcome;
  }
  const route: Route = {
    id,
    heloName: heloName ?? parts.defaults.heloName,
    mailFrom: mailFrom ?? parts.defaults.mailFrom,
    dial: (target, patience) => dialer.dial(target, patience).then(noteDialled),
  };
  return {
    route,
    chosen: { kind: 'route', route },
    family: localAddress === undefined ? undefined : parseIp(localAddress)?.family,
    dialer,
    health,
    volume: createRouteVolume({ warmUp: parts.warmUp, ...setting }, parts),
    counts: { id, opened: 0, connected: 0 },
  };
}

/** Converts times: points on the engine's clock mean nothing to another process, points on the wall clock do. */
function wallTime({ clock, wallClock }: Pick<RoutesParts, 'clock' | 'wallClock'>) {
  return (point: number): number => Math.round(wallClock.now() + point - clock.now());
}

type RouteRefusal = { key: string; value: string; until: number };

function stateOf(
  { route, health, volume }: WatchedRoute,
  refusals: RouteRefusal[],
  onWall: (point: number) => number,
): RouteState {
  const { restingUntil, restingGroups, problem } = health.state();
  const dayLimit = volume.dayLimit();
  return {
    id: route.id,
    ...volume.state(),
    dayLimit: Number.isFinite(dayLimit) ? dayLimit : undefined,
    restingUntil: restingUntil === undefined ? undefined : onWall(restingUntil),
    restingGroups: restingGroups.map(({ group, until }) => ({ group, until: onWall(until) })),
    refusals: refusals
      .filter(({ value }) => value === route.id)
      .map(({ key, until }) => ({ by: key, until: onWall(until) })),
    problem,
  };
}

/**
 * Restores a route. Nothing rests longer than a rest takes. A host that refused a route of another process is not
 * asked on ours instead.
 */
function restoreRoute(
  state: RouteState,
  { watched, refusals }: { watched: WatchedRoute | undefined; refusals: BoundedCache<string> },
  { clock, wallClock, limits }: RoutesParts,
): void {
  const onClock = (time: number): number =>
    clock.now() + Math.min(time - wallClock.now(), limits.routeRestMs);
  watched?.health.restore({
    restingUntil: state.restingUntil === undefined ? undefined : onClock(state.restingUntil),
    restingGroups: state.restingGroups.map(({ group, until }) => ({ group, until: onClock(until) })),
  });
  for (const { by, until } of state.refusals) {
    const lifeMs = onClock(until) - clock.now();
    if (lifeMs > refusals.lifeOf(by)) refusals.set(by, state.id, lifeMs);
  }
}

/** Returns the state without the rests and refusals that had begun by then: each lasts equally long. */
function begunAfter(state: RouteState, at: number, restMs: number): RouteState {
  const isLater = ({ until }: { until: number }): boolean => until > at + restMs;
  const { restingUntil: until } = state;
  return {
    ...state,
    restingUntil: until !== undefined && isLater({ until }) ? until : undefined,
    restingGroups: state.restingGroups.filter(isLater),
    refusals: state.refusals.filter(isLater),
  };
}

function sumOf(counts: readonly DialCounts[]): DialCounts {
  const sum = { dialled: 0, forbidden: 0, breaches: 0 };
  for (const { dialled, forbidden, breaches } of counts) {
    sum.dialled += dialled;
    sum.forbidden += forbidden;
    sum.breaches += breaches;
  }
  return sum;
}

/**
 * The egress addresses from which this process may begin conversations. An address has one owner at a time. The
 * keeper of ownership (the service, in its database) says here until when it is certain. A process that is alone
 * owns every address, always.
 *
 *     not ours ──▶ ours until a moment, prolonged again and again ──▶ lapsed (nothing begins) ──▶ ours
 *         ▲                                                             └──▶ not ours
 *         └── given up ────────────────────────────────────────────────────────┘
 */
export type EgressRights = {
  of(egress: string): 'ours' | 'lapsed' | 'not_ours';
  /** Conversations may begin until then, on the engine's clock. */
  allowUntil(egress: string, until: number): void;
  giveUp(egress: string): void;
  /** Adds a listener for every change but a prolongation. */
  onChange(listener: () => void): void;
};

export function createEgressRights(clock: Clock): EgressRights {
  const until = new Map<string, number>();
  const listeners: (() => void)[] = [];
  const tell = (): void => listeners.forEach((listener) => listener());
  function rightTo(egress: string): 'ours' | 'lapsed' | 'not_ours' {
    const end = until.get(egress);
    if (end === undefined) return 'not_ours';
    return clock.now() < end ? 'ours' : 'lapsed';
  }
  return {
    of: rightTo,
    allowUntil(egress, end) {
      const before = rightTo(egress);
      until.set(egress, end);
      if (before !== 'ours') tell();
    },
    giveUp(egress) {
      if (until.delete(egress)) tell();
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

/** The rights of a process that is alone. */
export const allEgressIsOurs: EgressRights = {
  of: () => 'ours',
  allowUntil: () => undefined,
  giveUp: () => undefined,
  onChange: () => undefined,
};
