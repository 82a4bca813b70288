import type { Clock } from '../clock.ts';
import { isFields, type MemoryNamespace } from '../memory.ts';
import type { Routes, RouteState } from './create-routes.ts';

/**
 * Routes over a restart, and over several processes: the volume of the day, the warm-up, rests, and who refused which
 * route. The state changes with every connection, so it is kept once a second at most while it does, and when
 * the engine closes.
 *
 * Rests and refusals stand under the name of the route and are the same for all. Each process keeps its own count of
 * the day beside them, under its own name, so that none writes over another's and all can add them up.
 */
type KeptRoutes = Routes & { stop(): void };

type KeepRoutesParts = {
  memory: MemoryNamespace;
  clock: Clock;
  /** What this process signs its counts with; no other, and none before it, has the same. */
  signature: string;
};

const keepEveryMs = 1_000;

/** A route's first use is what its warm-up counts from: it is forgotten only when the route is not used for a year. */
const routeLifeMs = 365 * 86_400_000;

/** A count is of no use when its day is over. */
const countLifeMs = 2 * 86_400_000;

/** Of those who refused a route or let it rest, the latest so many are kept. */
const mostKept = 1_000;

export function keepRoutes(routes: Routes, { memory, clock, signature }: KeepRoutesParts): KeptRoutes {
  memory.follow(({ key, value }) => {
    const [id = '', countedBy = ''] = key.split(' ');
    const state = readState(id, value);
    if (state !== undefined && countedBy !== signature) routes.restore([state], countedBy);
  });
  let cancel: (() => void) | undefined;

  function keep(): void {
    cancel = undefined;
    for (const own of routes.own()) {
      const restingGroups = own.restingGroups.slice(-mostKept);
      const refusals = own.refusals.slice(-mostKept);
      memory.learn(
        own.id,
        { ...own, openedToday: 0, connectedToday: 0, restingGroups, refusals },
        routeLifeMs,
      );
      const { day, openedToday, connectedToday, firstUsedDay } = own;
      const count = { day, openedToday, connectedToday, firstUsedDay, restingGroups: [], refusals: [] };
      memory.learn(`${own.id} ${signature}`, count, countLifeMs);
    }
  }

  return {
    ...routes,
    note(routeId, event) {
      routes.note(routeId, event);
      cancel ??= clock.after(keepEveryMs, keep);
    },
    stop() {
      if (cancel === undefined) return;
      cancel();
      keep();
    },
  };
}

function readState(id: string, value: unknown): RouteState | undefined {
  if (!isFields(value)) return undefined;
  const { day, openedToday, connectedToday, firstUsedDay, restingUntil, restingGroups, refusals } = value;
  if (!isTime(day) || !isTime(openedToday) || !isTime(connectedToday)) return undefined;
  const groups = readList(restingGroups, 'group');
  const refusers = readList(refusals, 'by');
  if (groups === undefined || refusers === undefined) return undefined;
  return {
    id,
    day,
    openedToday,
    connectedToday,
    dayLimit: undefined,
    firstUsedDay: isTime(firstUsedDay) ? firstUsedDay : undefined,
    restingUntil: isTime(restingUntil) ? restingUntil : undefined,
    restingGroups: groups.map(({ name, until }) => ({ group: name, until })),
    refusals: refusers.map(({ name, until }) => ({ by: name, until })),
    problem: undefined,
  };
}

function readList(value: unknown, field: 'group' | 'by'): { name: string; until: number }[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.slice(-mostKept).flatMap((one: unknown) => {
    if (!isFields(one)) return [];
    const { [field]: name, until } = one;
    return typeof name === 'string' && isTime(until) ? [{ name, until }] : [];
  });
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
