import {
  allHosts,
  leaseKeptMs,
  type HeldLease,
  type LeaseExchange,
  type LeaseStore,
  type ReturnedLease,
} from '@mailproof/engine';
import { sql } from 'kysely';
import { statement, type Tx } from '../db/statement.ts';
import type { Store } from '../db/store.ts';
import type { WallClock } from '../db/wall-clock.ts';

/**
 * The host leases in the database: which process may talk to a group or a network of mail hosts, so that all of them
 * together keep to the limits of one (docs/decisions/0010). Every exchange is one operation under one serial key.
 *
 * A lease that is given back goes straight to the process that waits for it, if one does. What the last holder left is
 * of use for a minute; then the row is erased. The table is called `turn`, as it always was.
 */
type OpenLeaseStore = {
  store: LeaseStore;
  /** Ends when every exchange under way is answered; then no lease is ours any more. */
  stop: () => Promise<void>;
};

type OpenLeaseStoreParts = {
  store: Pick<Store, 'write' | 'notify' | 'listen' | 'clock'>;
  wallClock: WallClock;
  processId: string;
};

/** One key for all leases, so that no process sees an exchange half written; listeners are told under it as well. */
const serialKey = 'turns';
const minuteMs = 60_000;
/** A lease that was handed on and is not taken up is free after this long. */
const handedMs = 2_000;

export function openLeaseStore({ store, wallClock, processId }: OpenLeaseStoreParts): OpenLeaseStore {
  let last: Promise<unknown> = Promise.resolve();
  let tidiedAt = wallClock.now();
  const quiet: (() => void)[] = [];

  async function exchange(asked: LeaseExchange): Promise<HeldLease[]> {
    const now = wallClock.now();
    const isUntidy = now - tidiedAt > minuteMs;
    const { leases, news } = await store.write(async (tx) => {
      if (isUntidy) await tx.change(eraseSpent, { now, since: now - minuteMs });
      return runExchange(tx, asked, { holder: processId, now });
    }, serialKey);
    if (isUntidy) tidiedAt = now;
    if (news) store.notify(serialKey);
    return leases;
  }

  return {
    store: {
      // SQLite's processes are on one machine, and the dead among them are known at once.
      lendsAllHosts: store.clock === undefined,
      listen: (onChange) => void quiet.push(store.listen(serialKey, onChange)),
      exchange: (asked) => {
        const answered = exchange(asked);
        last = Promise.allSettled([last, answered]);
        return answered;
      },
    },
    stop: async () => {
      quiet.forEach((end) => end());
      for (let seen; seen !== last;) await (seen = last);
      // Where even that fails they lapse by themselves.
      await store.write((tx) => releaseLeasesOf(tx, processId), serialKey).catch(() => undefined);
    },
  };
}

type HolderAt = { holder: string; now: number };
/** `news`: somebody else should look, because a lease was handed on or is wanted. */
type Exchanged = { leases: HeldLease[]; news: boolean };

async function runExchange(
  tx: Tx,
  { take, prolong, giveBack }: LeaseExchange,
  at: HolderAt,
): Promise<Exchanged> {
  const given = await Promise.all(giveBack.map((one) => giveBackLease(tx, one, at)));
  const taken = await Promise.all([
    ...take.map((key) => takeLease(tx, key, at)),
    ...prolong.map((key) => prolongLease(tx, key, at)),
  ]);
  const leases = taken.filter((lease) => lease !== undefined);
  const ours = new Set(leases.map(({ key }) => key));
  const lacking = [...take, ...prolong].filter((key) => !ours.has(key));
  const marked = await Promise.all(
    lacking.map((key) => tx.change(markWanted, { ...at, key, all: allHosts })),
  );
  return { leases, news: [...given, ...marked].some((changes) => changes > 0) };
}

async function takeLease(tx: Tx, key: string, { holder, now }: HolderAt): Promise<HeldLease | undefined> {
  const since = now - minuteMs;
  const row = await tx.first(take, { key, all: allHosts, holder, now, since, until: now + leaseKeptMs });
  if (row === undefined) return undefined;
  const isFresh = row.saved_at > since;
  return {
    key,
    grant: row.granted_at,
    state: isFresh ? readState(row.state) : undefined,
    agoMs: now - row.saved_at,
  };
}

async function prolongLease(tx: Tx, key: string, { holder, now }: HolderAt): Promise<HeldLease | undefined> {
  const row = await tx.first(prolong, { key, holder, now, until: now + leaseKeptMs });
  return row && { key, grant: row.granted_at, state: undefined, agoMs: 0 };
}

/** Answers with 1 where another process waited for it. */
async function giveBackLease(
  tx: Tx,
  { key, grant, state }: ReturnedLease,
  { holder, now }: HolderAt,
): Promise<number> {
  const text = state === undefined ? '' : JSON.stringify(state);
  const left = { key, grant, holder, state: text, saved: state === undefined ? 0 : now };
  const handed = key === allHosts ? 0 : await tx.change(handOn, { ...left, now, until: now + handedMs });
  return handed > 0 ? handed : (await tx.change(letGo, left), 0);
}

function readState(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type TakeArguments = { key: string; all: string; holder: string; now: number; since: number; until: number };

/**
 * Takes a lease that is free or ours already, unless another stands in its way: while one process holds all hosts no
 * other takes any, and all hosts are given only to a process that is alone and has been for a minute.
 */
const take = statement((db, arg: TakeArguments) =>
  db
    .insertInto('turn')
    .columns(['key', 'holder', 'granted_at', 'held_until', 'saved_at', 'state'])
    .expression(
      db
        .selectNoFrom([
          sql<string>`cast(${arg.key} as text)`.as('key'),
          sql<string>`cast(${arg.holder} as text)`.as('holder'),
          sql<number>`cast(${arg.now} as bigint)`.as('granted_at'),
          sql<number>`cast(${arg.until} as bigint)`.as('held_until'),
          sql<number>`0`.as('saved_at'),
          sql<string>`''`.as('state'),
        ])
        .where((where) => where.not(where.exists(inTheWay(arg)))),
    )
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({
          holder: arg.holder,
          held_until: arg.until,
          granted_at: sql<number>`case when ${isStillOurs(arg)} then turn.granted_at else ${arg.now} end`,
          wanted_by: sql<string | null>`case when ${isStillOurs(arg)} then turn.wanted_by else null end`,
        })
        .where((eb) => eb.or([eb('turn.held_until', '<=', arg.now), eb('turn.holder', '=', arg.holder)])),
    )
    .returning(['granted_at', 'saved_at', 'state']),
);

function isStillOurs(arg: TakeArguments) {
  return sql<boolean>`turn.holder = ${arg.holder} and turn.held_until > ${arg.now}`;
}

function inTheWay(arg: TakeArguments) {
  return sql`(select 1 from turn as other
    where (other.key = ${arg.all} and other.holder <> ${arg.holder} and other.held_until > ${arg.now})
       or (other.key <> ${arg.all} and cast(${arg.key} as text) = ${arg.all}
           and ((other.holder <> ${arg.holder} and other.held_until > ${arg.now}) or other.saved_at > ${arg.since})))`;
}

const prolong = statement((db, arg: { key: string; holder: string; now: number; until: number }) =>
  db
    .updateTable('turn')
    .set({ held_until: arg.until })
    .where('key', '=', arg.key)
    .where('holder', '=', arg.holder)
    .where('held_until', '>', arg.now)
    .where('wanted_by', 'is', null)
    .returning('granted_at'),
);

const markWanted = statement((db, arg: HolderAt & { key: string; all: string }) =>
  db
    .updateTable('turn')
    .set({ wanted_by: arg.holder })
    .where((eb) => eb.or([eb('key', '=', arg.key), eb('key', '=', arg.all)]))
    .where('holder', '<>', arg.holder)
    .where('held_until', '>', arg.now)
    .where('wanted_by', 'is', null),
);

type LeftLease = { key: string; grant: number; holder: string; state: string; saved: number };

const handOn = statement((db, arg: LeftLease & { now: number; until: number }) =>
  db
    .updateTable('turn')
    .set((eb) => ({
      // The row is wanted, by the condition below.
      holder: eb.ref('wanted_by').$notNull(),
      granted_at: arg.now,
      held_until: arg.until,
      wanted_by: null,
      state: arg.state,
      saved_at: arg.saved,
    }))
    .where('key', '=', arg.key)
    .where('holder', '=', arg.holder)
    .where('granted_at', '=', arg.grant)
    .where('wanted_by', 'is not', null),
);

const letGo = statement((db, arg: LeftLease) =>
  db
    .updateTable('turn')
    .set({ held_until: 0, wanted_by: null, state: arg.state, saved_at: arg.saved })
    .where('key', '=', arg.key)
    .where('holder', '=', arg.holder)
    .where('granted_at', '=', arg.grant),
);

const eraseSpent = statement((db, arg: { now: number; since: number }) =>
  db.deleteFrom('turn').where('held_until', '<=', arg.now).where('saved_at', '<=', arg.since),
);

const freeLeasesOf = statement((db, arg: { holder: string }) =>
  db.updateTable('turn').set({ held_until: 0, wanted_by: null }).where('holder', '=', arg.holder),
);

/** A dead process talks to nobody: the system has closed its sockets. */
export async function releaseLeasesOf(tx: Tx, processId: string): Promise<void> {
  await tx.change(freeLeasesOf, { holder: processId });
}
