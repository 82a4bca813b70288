import type { Clock } from '../clock.ts';
import { isFields, type MemoryNamespace, type Remembered } from '../memory.ts';
import type { Routes, RouteState } from './create-routes.ts';

/**
 * Keeps the state of routes over a restart and shares it between processes: the volume of the day, the warm-up,
 * rests, and the refusals of each route. The state changes with every connection, so it is written at most once a
 * second, and when the engine closes.
 *
 * Rests and refusals are kept under the name of the route, the same for all processes. Each process keeps its own
 * count of the day beside them, under its own name, so that none overwrites another's and all can add them up.
 */
type KeptRoutes = Routes & { stop(): void };

type KeepRoutesParts = {
  memory: MemoryNamespace;
  clock: Clock;
  /** Marks the counts of this process; no other process, and none before it, has the same. */
  signature: string;
};

const keepEveryMs = 1_000;

/** The warm-up counts from a route's first use, which is forgotten only after a year without use. */
const routeLifeMs = 365 * 86_400_000;

/** A count is of no use when its day is over. */
const countLifeMs = 2 * 86_400_000;

/** How many of the latest refusals and rests of a route are kept. */
const mostKept = 1_000;

const operator = 'operator';

/**
 * Returns the entry that tells every engine that the operator has ended the rests of a route. It stands beside the
 * state of the route, which engines overwrite, and for as long as a rest may last, so that an engine that starts
 * later hears of it too.
 */
export function endOfRouteRests(routeId: string, { at, lifeMs }: { at: number; lifeMs: number }): Remembered {
  return { kind: 'route', key: `${routeId} ${operator}`, value: { restsEndedAt: at }, lifeMs };
}

export function keepRoutes(routes: Routes, { memory, clock, signature }: KeepRoutesParts): KeptRoutes {
  let cancel: (() => void) | undefined;
  memory.follow(({ key, value }) => {
    const [id = '', countedBy = ''] = key.split(' ');
    const endedAt = isFields(value) ? value['restsEndedAt'] : undefined;
    if (countedBy === operator && isTime(endedAt)) {
      routes.endRests(id, endedAt);
      // The kept state must not hold them any more.
      cancel ??= clock.after(keepEveryMs, keep);
      return;
    }
    const state = readState(id, value);
    if (state !== undefined && countedBy !== signature) routes.restore([state], countedBy);
  });

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
