import { createBoundedCache } from '../bounded-cache.ts';
import type { Clock } from '../clock.ts';
import type { Limits } from '../limits.ts';
import { providerTable } from '../replies/providers.ts';

/**
 * Whether one route may be used now. It is in one of three states:
 *
 * fit → resting: `routeBlocks` blocks by at least `routeBlockGroups` providers of the table came within the window.
 * Large providers have had enough of this route, so it is left alone for `routeRestMs`. Small hosts that consult a
 * block list do not rest a route, however many they are. The same number by one group alone rests only that group
 * here.
 *
 * fit → down: the route itself failed `routeFailures` times in a row (its proxy is gone, its address is not ours).
 * It is tried again after `routeDownMs`; after one more failure it is down again.
 *
 * resting, down → fit: by time, and from down by one success.
 *
 * The operator is told once for each rest, and once for each time that the route goes down.
 */
export type RouteHealth = {
  /** A point on the clock until which nothing goes out for this group; `undefined` means now. */
  restsUntil(group: string): number | undefined;
  blocked(group: string): void;
  failed(problem: string): void;
  succeeded(): void;
  state(): HealthState;
  /** Of two rests the longer one holds. */
  restore(state: Pick<HealthState, 'restingUntil' | 'restingGroups'>): void;
  /** Ends every rest; blocks are counted anew. */
  endRests(): void;
};

/** Times are points on the engine's clock. */
export type HealthState = {
  restingUntil: number | undefined;
  restingGroups: { group: string; until: number }[];
  /** The trouble with the route itself, while it lasts. */
  problem: string | undefined;
};

type HealthParts = {
  clock: Clock;
  limits: HealthLimits;
  /** Called with the event, in words that follow the route's name. */
  tell(what: string): void;
};

export type HealthLimits = Pick<
  Limits,
  | 'routeBlocks'
  | 'routeBlockGroups'
  | 'routeBlockWindowMs'
  | 'routeRestMs'
  | 'routeRefusals'
  | 'routeFailures'
  | 'routeDownMs'
>;

export function createRouteHealth(parts: HealthParts): RouteHealth {
  const { clock, limits } = parts;
  const restingGroups = createBoundedCache<true>({ clock, maxEntries: limits.routeRefusals });
  const blocks = createBlockCount(clock, limits);
  const outage = watchOutage(parts);
  let restingUntil = -Infinity;

  function blocked(group: string): void {
    const now = clock.now();
    // A conversation that was under way when the rest began may still report; it is the same block.
    if (restingUntil > now || restingGroups.peek(group) !== undefined) return;
    const found = blocks.add(group);
    if (found === undefined) return;
    if (found.kind === 'route') restingUntil = now + limits.routeRestMs;
    else restingGroups.set(group, true, limits.routeRestMs);
    parts.tell(describe(found, limits));
  }

  return {
    restsUntil(group) {
      const now = clock.now();
      if (restingUntil <= now && outage.downUntil() <= now && restingGroups.size() === 0) return undefined;
      const latest = Math.max(restingUntil, outage.downUntil(), now + restingGroups.lifeOf(group));
      return latest > now ? latest : undefined;
    },
    blocked,
    failed: (problem) => outage.failed(problem),
    succeeded: () => outage.succeeded(),
    state: () => ({
      restingUntil: restingUntil > clock.now() ? restingUntil : undefined,
      restingGroups: restingGroups.list().map(({ key, until }) => ({ group: key, until })),
      problem: outage.problem(),
    }),
    restore(kept) {
      restingUntil = Math.max(restingUntil, kept.restingUntil ?? -Infinity);
      for (const { group, until } of kept.restingGroups) {
        const lifeMs = until - clock.now();
        if (lifeMs > restingGroups.lifeOf(group)) restingGroups.set(group, true, lifeMs);
      }
    },
    endRests() {
      restingUntil = -Infinity;
      for (const { key } of restingGroups.list()) restingGroups.delete(key);
      blocks.forget();
    },
  };
}

type FoundBlock = { kind: 'route'; groups: string[] } | { kind: 'group'; group: string };

const blocksRemembered = 1_000;

function isProvider(group: string): boolean {
  return providerTable.some(({ id }) => id === group);
}

/** Counts the blocks of the window by group. */
function createBlockCount(clock: Clock, limits: HealthLimits) {
  let recent: { at: number; group: string }[] = [];
  return {
    forget: () => void (recent = []),
    add(group: string): FoundBlock | undefined {
      const now = clock.now();
      const inWindow = recent.filter(({ at }) => at > now - limits.routeBlockWindowMs);
      recent = [...inWindow, { at: now, group }].slice(-blocksRemembered);
      const byProviders = recent.filter((block) => isProvider(block.group)).slice(-limits.routeBlocks);
      const groups = [...new Set(byProviders.map((block) => block.group))];
      if (byProviders.length >= limits.routeBlocks && groups.length >= limits.routeBlockGroups) {
        recent = [];
        return { kind: 'route', groups };
      }
      const byGroup = recent.filter((block) => block.group === group);
      return byGroup.length >= limits.routeBlocks ? { kind: 'group', group } : undefined;
    },
  };
}

function describe(found: FoundBlock, limits: HealthLimits): string {
  const count = `${limits.routeBlocks} times within ${limits.routeBlockWindowMs / 60_000} minutes`;
  const rest = `${limits.routeRestMs / 60_000} minutes`;
  switch (found.kind) {
    case 'route':
      return `was blocked ${count} by ${found.groups.join(', ')} and rests for ${rest}`;
    case 'group':
      return `was blocked ${count} by ${found.group}, which is not asked for ${rest}`;
  }
}

/** Watches whether the route itself works: its proxy, its local address. */
function watchOutage(parts: HealthParts) {
  const { clock, limits } = parts;
  let failures = 0;
  let downUntil = -Infinity;
  let problem: string | undefined;
  return {
    downUntil: () => downUntil,
    problem: () => problem,
    failed(what: string): void {
      failures += 1;
      if (failures < limits.routeFailures) return;
      downUntil = clock.now() + limits.routeDownMs;
      if (problem === undefined) parts.tell(`cannot be used: ${what}`);
      problem = what;
    },
    succeeded(): void {
      if (problem !== undefined) parts.tell('can be used again');
      failures = 0;
      downUntil = -Infinity;
      problem = undefined;
    },
  };
}
