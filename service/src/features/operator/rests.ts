import {
  defaultLimits,
  endedRest,
  endOfRouteRests,
  openedByOperator,
  readKeptClosure,
  readKeptRest,
  type Remembered,
} from '@mailproof/engine';
import { recordChange, type ChangeParts } from '../../core/ledger/record-change.ts';
import { statement, type Reader, type Tx } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { rememberFrom } from '../../core/verify/engine-state/keep-engine-memory.ts';
import { findRoutes, readRoute, withoutRests } from '../../core/verify/engine-state/read-resting-routes.ts';
import { readProberRests, wishEnd, type ProberRest } from '../probers/prober-rests.ts';
import { banParty, nameAtProber, partyOf, type RestingParty } from './read-health.ts';

/**
 * Mail hosts and providers that are left alone, providers that ban an egress address, egress addresses that are closed,
 * and egress routes that providers block, as the store keeps them for all engines and over restarts. The operator can
 * end each: every engine reads that within a second or two and may ask again. A prober outside tells of the rests of its
 * own addresses, and hears of their end with its next lease.
 */
const mostListed = 1_000;

const findRests = statement((db, arg: { now: number }) =>
  db
    .selectFrom('engine_memory')
    .select(['kind', 'key', 'value', 'expires_at as expires'])
    .where('kind', 'in', ['rest', 'closure'])
    .where('expires_at', '>', arg.now)
    .orderBy('expires_at', 'desc')
    .orderBy('key')
    .limit(mostListed),
);

type MemoryRow = { kind: string; key: string; value: string; expires: number };

/** Whom we leave alone, or the egress address that nothing leaves from; without an end if nobody knows it. */
export type ListedRest = {
  kind: RestingParty['kind'] | 'egress';
  name: string;
  until: number | undefined;
  reason: string;
};

/** With what tells the engines that it has ended. */
type Rest = ListedRest & { ends: Remembered[]; atProber?: ProberRest };

/** The longest rest first. */
export async function listRests({
  store,
  wallClock,
}: {
  store: Pick<Store, 'read'>;
  wallClock: WallClock;
}): Promise<ListedRest[]> {
  const rests = await readRests(store.read, wallClock.now());
  return rests.map(({ kind, name, until, reason }) => ({ kind, name, until, reason }));
}

async function readRests(reader: Reader, now: number): Promise<Rest[]> {
  const hosts = await reader.all(findRests, { now });
  const routes = await reader.all(findRoutes, { now });
  const outside = await readProberRests(reader, now);
  return [
    ...hosts.flatMap((row) => restOf(row, now) ?? []),
    ...routes.flatMap((row) => restsOnRoute(row, now)),
    ...outside.map(restAtProber),
  ].sort((a, b) => (b.until ?? Infinity) - (a.until ?? Infinity) || 0);
}

function restOf({ kind, key, value, expires }: MemoryRow, now: number): Rest | undefined {
  if (kind === 'rest') {
    const rest = readKeptRest(JSON.parse(value), expires - now);
    return (
      rest && { ...partyOf(key), until: now + rest.leftMs, reason: rest.reason, ends: [endOf(kind, key)] }
    );
  }
  const kept = readKeptClosure(key, JSON.parse(value), now);
  switch (kept?.kind) {
    case undefined:
      return undefined;
    case 'ban':
      return { ...banParty(kept.ban), ends: [endOf('closure', key)] };
    case 'closure': {
      const { egress: name, closure } = kept;
      const until = closure.kind === 'suspected' ? closure.until : undefined;
      // An address that is opened although a list has it stays open for a while, or the next look-up would close it.
      const lifeMs = defaultLimits.openedByOperatorMs;
      const ends: Remembered[] = [{ kind: 'closure', key, value: openedByOperator, lifeMs }];
      return { kind: 'egress', name, until, reason: `listed by ${closure.list}`, ends };
    }
  }
}

function restAtProber(atProber: ProberRest): Rest {
  const { kind, name, reason, until } = atProber;
  const party = { until, ends: [], atProber };
  return kind === 'closed'
    ? { kind: 'egress', name, reason, ...party }
    : { ...nameAtProber({ ...atProber, kind }), ...party };
}

/** Long enough for every engine and prober to hear of it. */
const endHoldsMs = 60_000;

function endOf(kind: 'rest' | 'closure', key: string): Remembered {
  return { kind, key, value: endedRest, lifeMs: endHoldsMs };
}

/** A route may rest for everybody, and for some providers alone. All of it ends together. */
function restsOnRoute({ key, value, expires }: Omit<MemoryRow, 'kind'>, now: number): Rest[] {
  const route = readRoute(key, value, now);
  if (route === undefined) return [];
  const state: Remembered = { kind: 'route', key, value: withoutRests(value), lifeMs: expires - now };
  const ends = [state, endOfRouteRests(key, { at: now, lifeMs: longestRouteRestMs })];
  const party = { kind: 'route' as const, name: key, ends };
  const ofAll = route.until > 0 ? [{ ...party, until: route.until, reason: 'route_blocked' }] : [];
  const ofGroups = route.restingGroups.map(({ group, until }) => ({
    ...party,
    until,
    reason: `route_blocked_by_${group}`,
  }));
  return [...ofAll, ...ofGroups];
}

/** No longer than this does a route rest, whatever the clocks of two processes say. */
const longestRouteRestMs = 2 * 3_600_000;

type EndedRests = { ended: Pick<ListedRest, 'kind' | 'name'>[] };

/** Ends the rests of a name, as it is listed, or all of them. What does not rest stays as it is. */
export async function endRests(
  which: { name: string } | 'all',
  { store, wallClock, actor }: ChangeParts,
): Promise<EndedRests> {
  return store.write(async (tx) => {
    const now = wallClock.now();
    const rests = await readRests(tx, now);
    const meant = rests.filter(({ name }) => which === 'all' || name === which.name);
    const ended = new Map(meant.map((rest) => [`${rest.kind} ${rest.name}`, rest]));
    await writeEnds(tx, meant, now);
    for (const { atProber } of meant) if (atProber !== undefined) await wishEnd(tx, atProber, now);
    for (const { kind, name } of ended.values())
      await recordChange(tx, { actor, action: 'rest_ended', subject: name, detail: { kind }, now });
    return { ended: [...ended.values()].map(({ kind, name }) => ({ kind, name })) };
  });
}

async function writeEnds(tx: Tx, rests: Rest[], now: number): Promise<void> {
  const byKey = new Map(
    rests.flatMap(({ ends }) => ends).map((entry) => [`${entry.kind} ${entry.key}`, entry]),
  );
  await rememberFrom(tx, [...byKey.values()], { writer: 'operator', at: now });
}
