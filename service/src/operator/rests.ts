import { endedRest, readKeptRest } from '@mailproof/engine';
import { recordChange, type ChangeParts } from '../audit-log/record-change.ts';
import { statement, type Tx } from '../db/statement.ts';
import type { Store } from '../db/store.ts';
import type { WallClock } from '../db/wall-clock.ts';
import { rememberFrom } from '../engine-state/keep-engine-memory.ts';
import { partyOf, type RestingParty } from './read-health.ts';

/**
 * Mail hosts and providers that are left alone, as the store keeps them for all engines and over restarts. The operator
 * can end a rest: every engine reads that within a second or two and may ask again.
 */
const mostListed = 1_000;

const findRests = statement((db, arg: { now: number }) =>
  db
    .selectFrom('engine_memory')
    .select(['key', 'value', 'expires_at as expires'])
    .where('kind', '=', 'rest')
    .where('expires_at', '>', arg.now)
    .orderBy('expires_at', 'desc')
    .orderBy('key')
    .limit(mostListed),
);

type Rest = RestingParty & { key: string };

/** The longest rest first. */
export async function listRests({
  store,
  wallClock,
}: {
  store: Pick<Store, 'read'>;
  wallClock: WallClock;
}): Promise<RestingParty[]> {
  const now = wallClock.now();
  const rests = restsIn(await store.read.all(findRests, { now }), now);
  return rests.map(({ kind, name, until, reason }) => ({ kind, name, until, reason }));
}

function restsIn(rows: { key: string; value: string; expires: number }[], now: number): Rest[] {
  return rows
    .flatMap(({ key, value, expires }): Rest[] => {
      const rest = readKeptRest(JSON.parse(value), expires - now);
      return rest === undefined
        ? []
        : [{ key, ...partyOf(key), until: now + rest.leftMs, reason: rest.reason }];
    })
    .sort((a, b) => b.until - a.until);
}

/** Long enough for every engine and prober to hear of it. */
const endHoldsMs = 60_000;

type EndedRests = { ended: Pick<RestingParty, 'kind' | 'name'>[] };

/** Ends the rests of a name, as it is listed, or all of them. What does not rest stays as it is. */
export async function endRests(
  which: { name: string } | 'all',
  { store, wallClock, actor }: ChangeParts,
): Promise<EndedRests> {
  return store.write(async (tx) => {
    const now = wallClock.now();
    const rests = restsIn(await tx.all(findRests, { now }), now);
    const meant = rests.filter(({ name }) => which === 'all' || name === which.name);
    await writeEnds(tx, meant, now);
    for (const { kind, name } of meant)
      await recordChange(tx, { actor, action: 'rest_ended', subject: name, detail: { kind }, now });
    return { ended: meant.map(({ kind, name }) => ({ kind, name })) };
  });
}

async function writeEnds(tx: Tx, rests: Rest[], now: number): Promise<void> {
  const entries = rests.map(({ key }) => ({
    kind: 'rest' as const,
    key,
    value: endedRest,
    lifeMs: endHoldsMs,
  }));
  await rememberFrom(tx, entries, { writer: 'operator', at: now });
}
