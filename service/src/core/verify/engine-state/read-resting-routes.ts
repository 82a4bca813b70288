import { statement } from '../../store/statement.ts';
import type { Store } from '../../store/store.ts';
import type { WallClock } from '../../store/wall-clock.ts';

/** Routes that rest because providers block them, as the engine last told the store. */
export type RestingRoute = {
  route: string;
  /** 0 if it does not rest for everybody. */
  until: number;
  groups: string[];
  restingGroups: { group: string; until: number }[];
};

export const findRoutes = statement((db, arg: { now: number }) =>
  db
    .selectFrom('engine_memory')
    .select(['key', 'value', 'expires_at as expires'])
    .where('kind', '=', 'route')
    .where('expires_at', '>', arg.now)
    .orderBy('key')
    .limit(1_000),
);

export async function readRestingRoutes(parts: {
  store: Pick<Store, 'read'>;
  wallClock: WallClock;
}): Promise<RestingRoute[]> {
  const now = parts.wallClock.now();
  const rows = await parts.store.read.all(findRoutes, { now });
  return rows.flatMap(({ key, value }) => readRoute(key, value, now) ?? []);
}

type Kept = { restingUntil?: unknown; restingGroups?: unknown };

export function readRoute(route: string, text: string, now: number): RestingRoute | undefined {
  const kept = JSON.parse(text) as Kept;
  const until = typeof kept.restingUntil === 'number' && kept.restingUntil > now ? kept.restingUntil : 0;
  const restingGroups = Array.isArray(kept.restingGroups)
    ? kept.restingGroups.flatMap((one) => restingGroup(one, now))
    : [];
  const groups = restingGroups.map(({ group }) => group);
  return until === 0 && groups.length === 0 ? undefined : { route, until, groups, restingGroups };
}

function restingGroup(value: unknown, now: number): RestingRoute['restingGroups'] {
  const { group, until } = value as { group?: unknown; until?: unknown };
  return typeof group === 'string' && typeof until === 'number' && until > now ? [{ group, until }] : [];
}

/** The state of a route as it is kept, with its volume and without its rests. */
export function withoutRests(text: string): object {
  const state = JSON.parse(text) as Kept;
  return { ...state, restingUntil: undefined, restingGroups: [], refusals: [] };
}
