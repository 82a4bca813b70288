import { createBoundedCache } from '@mailproof/engine';
import { sql } from 'kysely';
import { dayMs } from './daily-cap.ts';
import { statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { WallClock } from '../store/wall-clock.ts';

/**
 * What an account used on each of the last days, in UTC, and what each of its keys was charged, out of its ledger.
 *
 * No index of the ledger by time is kept: it would make every verification write more. Entries are numbered without
 * gaps in the order of their time, so the first one of a day is found by halving, and from there on the entries are
 * summed slice by slice, so that requests are served in between. What was summed is remembered: entries do not
 * change, so the next look adds only what is new.
 */
export type UsageDay = { date: string; charged: number; reserved: number; released: number };

export type ReadUsage = (request: { accountId: string; days: number }) => Promise<UsageDay[]>;

/** What each key was charged in the last days, today included; a key that was charged nothing is not there. */
export type ReadKeyUsage = (request: {
  accountId: string;
  days: number;
}) => Promise<ReadonlyMap<string, number>>;

export type UsageReader = { byDay: ReadUsage; byKey: ReadKeyUsage };

type ReadUsageParts = { store: Pick<Store, 'read'>; wallClock: WallClock };

const mostDays = 90;
const sliceEntries = 2_000;
const rememberedAccounts = 1_000;
/**
 * By so much the times of neighbouring entries may be out of order at the most: processes have clocks of their own,
 * and an operation waits between reading the time and being written.
 */
const disorderMs = 3_600_000;

type Totals = {
  charge: number;
  reserve: number;
  release: number;
  /** What of the charges each key made. */
  chargedTo: ReadonlyMap<string, number>;
};

/** All entries up to number `through` that are of `firstDay` or later are in `days`. */
type Summed = { firstDay: number; through: number; days: ReadonlyMap<number, Totals> };

const countEntries = statement((db, arg: { account: string }) =>
  db.selectFrom('account').select('entries').where('id', '=', arg.account),
);

const findTime = statement((db, arg: { account: string; number: number }) =>
  db.selectFrom('entry').select('at').where('account_id', '=', arg.account).where('number', '=', arg.number),
);

const dayOfEntry = sql<number>`entry.at / ${sql.lit(dayMs)}`;

const sumSlice = statement((db, arg: { account: string; after: number; through: number }) =>
  db
    .selectFrom('entry')
    // Only charges are told apart by key, so only for these is the hold looked up.
    .leftJoin('hold', (join) =>
      join
        .onRef('hold.account_id', '=', 'entry.account_id')
        .onRef('hold.id', '=', 'entry.hold_id')
        .on('entry.kind', '=', sql.lit('charge')),
    )
    .select(['entry.kind', 'hold.key_id', dayOfEntry.as('day')])
    .select((eb) => eb.fn.sum<number>('entry.credits').as('credits'))
    .where('entry.account_id', '=', arg.account)
    .where('entry.number', '>', arg.after)
    .where('entry.number', '<=', arg.through)
    .groupBy(['entry.kind', 'hold.key_id', dayOfEntry]),
);

export function createUsageReader({ store, wallClock }: ReadUsageParts): UsageReader {
  const remembered = createBoundedCache<Summed>({ maxEntries: rememberedAccounts });

  /** The number before the first entry that may be of `firstDay`. */
  async function findStart(account: string, firstDay: number, entries: number): Promise<number> {
    const from = firstDay * dayMs - disorderMs;
    let [before, after] = [0, entries + 1];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      const at = (await store.read.first(findTime, { account, number: middle }))?.at ?? Infinity;
      if (at < from) before = middle;
      else after = middle;
    }
    return before;
  }

  async function sumUp(account: string, firstDay: number): Promise<Summed> {
    const entries = (await store.read.first(countEntries, { account }))?.entries ?? 0;
    const known = remembered.get(account);
    const start =
      known !== undefined && known.firstDay <= firstDay
        ? known
        : { firstDay, through: await findStart(account, firstDay, entries), days: new Map<number, Totals>() };
    const days = new Map(start.days);
    for (let after = start.through; after < entries; after += sliceEntries) {
      const through = Math.min(after + sliceEntries, entries);
      for (const { kind, day, ...sum } of await store.read.all(sumSlice, { account, after, through })) {
        if (kind !== 'grant') add(days, day, { kind, ...sum });
      }
      await breathe();
    }
    return { firstDay: start.firstDay, through: entries, days };
  }

  async function sumDays({ accountId, days }: { accountId: string; days: number }) {
    const today = Math.floor(wallClock.now() / dayMs);
    const summed = await sumUp(accountId, today - days + 1);
    remembered.set(accountId, withoutOldDays(summed, today - mostDays + 1));
    return lastDays(days, today).map((day) => ({ day, totals: summed.days.get(day) ?? noTotals }));
  }

  return {
    byDay: async (request) => (await sumDays(request)).map(usageOf),
    byKey: async (request) => {
      const keys = new Map<string, number>();
      for (const { totals } of await sumDays(request))
        for (const [key, credits] of totals.chargedTo) keys.set(key, (keys.get(key) ?? 0) + credits);
      return keys;
    },
  };
}

/** Days of the epoch, the last of them today. */
function lastDays(days: number, today: number): number[] {
  return Array.from({ length: days }, (_, n) => today - days + 1 + n);
}

/** The last days of a caller that can use no credits. */
export function unusedDays(days: number, now: number): UsageDay[] {
  return lastDays(days, Math.floor(now / dayMs)).map((day) => usageOf({ day, totals: noTotals }));
}

const noTotals: Totals = { charge: 0, reserve: 0, release: 0, chargedTo: new Map() };

function add(days: Map<number, Totals>, day: number, { kind, credits, key_id: key }: Sum): void {
  const totals = days.get(day) ?? noTotals;
  const { chargedTo } = totals;
  days.set(day, {
    ...totals,
    [kind]: totals[kind] + credits,
    chargedTo: key === null ? chargedTo : new Map(chargedTo).set(key, (chargedTo.get(key) ?? 0) + credits),
  });
}

type Sum = { kind: 'charge' | 'reserve' | 'release'; credits: number; key_id: string | null };

function withoutOldDays({ firstDay, through, days }: Summed, oldest: number): Summed {
  const kept = [...days].filter(([day]) => day >= oldest);
  return { firstDay: Math.max(firstDay, oldest), through, days: new Map(kept) };
}

function usageOf({ day, totals }: { day: number; totals: Totals }): UsageDay {
  const { charge, reserve, release } = totals;
  const date = new Date(day * dayMs).toISOString().slice(0, 10);
  return { date, charged: charge, reserved: reserve, released: release };
}

function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
