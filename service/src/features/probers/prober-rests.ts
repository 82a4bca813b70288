import { randomUUID } from 'node:crypto';
import {
  defaultLimits,
  endedRest,
  endOfRouteRests,
  openedByOperator,
  type Engine,
  type Remembered,
} from '@mailproof/engine';
import { statement, type Reader, type Tx } from '../../core/store/statement.ts';
import type { Store } from '../../core/store/store.ts';
import type { WallClock } from '../../core/store/wall-clock.ts';
import { egressOf } from './outside-egress.ts';
import type { LeaseAnswerMessage, LeaseRequestMessage } from './prober-messages.ts';
import { messageLimits } from './message-limits.ts';

/**
 * Rests of a prober's own egress addresses. Only the prober knows them, so it reports them with each lease.
 *
 *     prober: rests ──lease──▶ centre, for the operator to see
 *     operator: end ──▶ a wish, kept a day ──answer to a lease──▶ the prober ends the rest ──next lease──▶ wish forgotten
 */
type RestMessage = NonNullable<LeaseRequestMessage['rests']>[number];
export type RestWish = NonNullable<LeaseAnswerMessage['end']>[number];

/** Describes the rests of this prober's engine, with the prober's own names. */
export function describeRests(health: ReturnType<Engine['health']>, now: number): RestMessage[] {
  const leftUntil = (until: number) => ({ left_ms: Math.round(Math.max(0, until - now)) });
  const { closed, bans, routes } = health;
  return [
    ...closed.map(({ egress, closure }) => ({
      kind: 'closed' as const,
      egress,
      reason: `listed by ${closure.list}`.slice(0, messageLimits.restCharacters),
      ...(closure.kind === 'suspected' ? leftUntil(closure.until) : {}),
    })),
    ...bans.map(({ egress, group, until }) => ({
      kind: 'banned' as const,
      egress,
      group,
      reason: 'provider_bans_us',
      ...leftUntil(until),
    })),
    ...routes.flatMap(({ id: egress, restingUntil = 0, restingGroups }) => [
      ...(restingUntil > now
        ? [{ kind: 'blocked' as const, egress, reason: 'route_blocked', ...leftUntil(restingUntil) }]
        : []),
      ...restingGroups
        .filter(({ until }) => until > now)
        .map(({ group, until }) => ({
          kind: 'blocked' as const,
          egress,
          group,
          reason: `route_blocked_by_${group}`.slice(0, messageLimits.restCharacters),
          ...leftUntil(until),
        })),
    ]),
  ].slice(0, messageLimits.rests);
}

/** Returns the memory entry with which this prober's engine ends a rest. */
export function endsOf({ kind, egress, group = '' }: RestWish, now: number): Remembered {
  switch (kind) {
    case 'closed':
      return {
        kind: 'closure',
        key: `egress ${egress}`,
        value: openedByOperator,
        lifeMs: defaultLimits.openedByOperatorMs,
      };
    case 'banned':
      return { kind: 'closure', key: `ban ${egress} ${group}`, value: endedRest, lifeMs: endHoldsMs };
    case 'blocked':
      return endOfRouteRests(egress, { at: now, lifeMs: endHoldsMs });
  }
}

const endHoldsMs = 60_000;

/** A rest as the centre stores it with the prober's other fields. */
type KeptRest = Omit<RestMessage, 'left_ms'> & { until?: number };

export function keptRests(rests: readonly RestMessage[], now: number): KeptRest[] {
  return rests.map(({ left_ms: left, ...rest }) => ({
    ...rest,
    ...(left === undefined ? {} : { until: now + left }),
  }));
}

export type ProberRest = KeptRest & { proberId: string; name: string };

const mostProbers = 1_000;

const findSeen = statement((db) =>
  db.selectFrom('prober').select(['id', 'name', 'seen']).where('seen_at', '>', 0).limit(mostProbers),
);

/** Returns the rests of all outside probers, as each last reported. */
export async function readProberRests(reader: Reader, now: number): Promise<ProberRest[]> {
  const probers = await reader.all(findSeen, {});
  return probers.flatMap(({ id: proberId, name, seen }) => {
    // Written by `announce` in prober-centre.ts, from checked fields.
    const { rests = [] } = JSON.parse(seen) as { rests?: KeptRest[] };
    return rests
      .filter(({ until = Infinity }) => until > now)
      .map((rest) => ({ ...rest, proberId, name: egressOf(name, rest.egress) }));
  });
}

/** Wishes are stored in the engines' memory, under a kind that no engine reads. */
const wishesFor = (proberId: string) => `prober_end:${proberId}`;
const wishLifeMs = 86_400_000;

type WishRow = { kind: string; key: string; value: string; now: number; expires: number };

const writeWish = statement((db, arg: WishRow) => {
  const said = { value: arg.value, expires_at: arg.expires, writer: 'operator', written_at: arg.now };
  return db
    .insertInto('engine_memory')
    .values({ kind: arg.kind, key: arg.key, ...said })
    .onConflict((conflict) => conflict.columns(['kind', 'key']).doUpdateSet(said));
});

/** Stores for a day that the operator wants a rest of a prober to end. */
export async function wishEnd(tx: Tx, rest: ProberRest, now: number): Promise<void> {
  const { proberId, kind, egress, group } = rest;
  const wish: RestWish = { wish: randomUUID(), kind, egress, ...(group === undefined ? {} : { group }) };
  await tx.change(writeWish, {
    kind: wishesFor(proberId),
    key: `${kind} ${egress} ${group ?? ''}`,
    value: JSON.stringify(wish),
    now,
    expires: now + wishLifeMs,
  });
}

const findWishes = statement((db, arg: { kind: string; now: number; limit: number }) =>
  db
    .selectFrom('engine_memory')
    .select(['key', 'value'])
    .where('kind', '=', arg.kind)
    .where('expires_at', '>', arg.now)
    .orderBy('key')
    .limit(arg.limit),
);

const forgetWish = statement((db, arg: { kind: string; key: string; value: string }) =>
  db
    .deleteFrom('engine_memory')
    .where('kind', '=', arg.kind)
    .where('key', '=', arg.key)
    .where('value', '=', arg.value),
);

type WishParts = { store: Pick<Store, 'read' | 'write'>; wallClock: WallClock };

/** Returns the wishes that a prober has not carried out yet, and deletes the others. */
export async function readWishes(
  { id, done }: { id: string; done: readonly string[] },
  { store, wallClock }: WishParts,
): Promise<RestWish[]> {
  const kind = wishesFor(id);
  const rows = await store.read.all(findWishes, { kind, now: wallClock.now(), limit: messageLimits.rests });
  const wishes = rows.map((row) => ({ row, wish: JSON.parse(row.value) as RestWish }));
  const over = wishes.filter(({ wish }) => done.includes(wish.wish));
  if (over.length > 0)
    await store.write(async (tx) => {
      for (const { row } of over) await tx.change(forgetWish, { kind, ...row });
    });
  return wishes.filter((one) => !over.includes(one)).map(({ wish }) => wish);
}
