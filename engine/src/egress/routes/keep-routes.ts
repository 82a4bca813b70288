import type { Clock } from '../../clock.ts';
import { isFields, type Shelf } from '../../memory.ts';
import type { Routes, RouteState } from './create-routes.ts';

/**
 * Routes over a restart: the volume of the day, the warm-up, rests, and who refused which route. The state changes with
 * every connection, so it is kept once a second at most while it does, and when the engine closes.
 */
type KeptRoutes = Routes & { stop(): void };

const keepEveryMs = 1_000;

/** A route's first use is what its warm-up counts from: it is forgotten only when the route is not used for a year. */
const routeLifeMs = 365 * 86_400_000;

/** Of those who refused a route or let it rest, the latest so many are kept. */
const mostKept = 1_000;

export function keepRoutes(routes: Routes, { shelf, clock }: { shelf: Shelf; clock: Clock }): KeptRoutes {
  routes.restore(shelf.load().flatMap(({ key, value }) => readState(key, value) ?? []));
  let cancel: (() => void) | undefined;

  function keep(): void {
    cancel = undefined;
    for (const state of routes.state()) {
      const restingGroups = state.restingGroups.slice(-mostKept);
      const refusals = state.refusals.slice(-mostKept);
      shelf.learn(state.id, { ...state, restingGroups, refusals }, routeLifeMs);
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
