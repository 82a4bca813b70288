import {
  defaultLimits,
  endedRest,
  openedByOperator,
  readKeptClosure,
  readKeptRest,
  type Remembered,
} from '@mailproof/engine';
import { recordChange, type ChangeParts } from '../audit-log/record-change.ts';
import { statement, type Tx } from '../db/statement.ts';
import type { Store } from '../db/store.ts';
import type { WallClock } from '../db/wall-clock.ts';
import { rememberFrom } from '../engine-state/keep-engine-memory.ts';
import { banParty, partyOf, type RestingParty } from './read-health.ts';

/**
 * Mail hosts and providers that are left alone, providers that ban an egress address, and egress addresses that are
 * closed, as the store keeps them for all engines and over restarts. The operator can end each: every engine reads that
 * within a second or two and may ask again.
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

type RestRow = { kind: string; key: string; value: string; expires: number };

/** Whom we leave alone, or the egress address that nothing leaves from; without an end if nobody knows it. */
export type ListedRest = {
  kind: RestingParty['kind'] | 'egress';
  name: string;
  until: number | undefined;
  reason: string;
};

type Rest = ListedRest & { key: string; memory: 'rest' | 'closure' };

/** The longest rest first. */
export async function listRests({
  store,
  wallClock,
}: {
  store: Pick<Store, 'read'>;
  wallClock: WallClock;
}): Promise<ListedRest[]> {
  const now = wallClock.now();
  const rests = restsIn(await store.read.all(findRests, { now }), now);
  return rests.map(({ kind, name, until, reason }) => ({ kind, name, until, reason }));
}

function restsIn(rows: RestRow[], now: number): Rest[] {
  return rows
    .flatMap((row) => readRest(row, now) ?? [])
    .sort((a, b) => (b.until ?? Infinity) - (a.until ?? Infinity) || 0);
}

function readRest({ kind, key, value, expires }: RestRow, now: number): Rest | undefined {
  if (kind === 'rest') {
    const rest = readKeptRest(JSON.parse(value), expires - now);
    return rest && { memory: kind, key, ...partyOf(key), until: now + rest.leftMs, reason: rest.reason };
  }
  const kept = readKeptClosure(key, JSON.parse(value), now);
  switch (kept?.kind) {
    case undefined:
      return undefined;
    case 'ban':
      return { memory: 'closure', key, ...banParty(kept.ban) };
    case 'closure': {
      const { egress: name, closure } = kept;
      const until = closure.kind === 'suspected' ? closure.until : undefined;
      return { memory: 'closure', key, kind: 'egress', name, until, reason: `listed by ${closure.list}` };
    }
  }
}

/** Long enough for every engine and prober to hear of it. */
const endHoldsMs = 60_000;

type EndedRests = { ended: Pick<ListedRest, 'kind' | 'name'>[] };

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
  await rememberFrom(tx, rests.map(endOf), { writer: 'operator', at: now });
}

/** An address that is opened although a list has it stays open for a while, or the next look-up would close it. */
function endOf({ memory: kind, key, kind: party }: Rest): Remembered {
  return party === 'egress'
    ? { kind, key, value: openedByOperator, lifeMs: defaultLimits.openedByOperatorMs }
    : { kind, key, value: endedRest, lifeMs: endHoldsMs };
}
