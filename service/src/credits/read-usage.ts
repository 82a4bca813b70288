import { createBoundedCache } from '@mailproof/engine';
import { sql } from 'kysely';
import { statement } from '../db/statement.ts';
import type { Store } from '../db/store.ts';
import type { WallClock } from '../db/wall-clock.ts';

/**
 * What an account used on each of the last days, in UTC, out of its ledger.
 *
 * No index of the ledger by time is kept: it would make every verification write more. Entries are numbered without
 * gaps in the order of their time, so the first one of a day is found by halving, and from there on the entries are
 * summed slice by slice, so that requests are served in between. What was summed is remembered: entries do not
 * change, so the next look adds only what is new.
 */
export type UsageDay = { date: string; charged: number; reserved: number; released: number };

export type ReadUsage = (request: { accountId: string; days: number }) => Promise<UsageDay[]>;

type ReadUsageParts = { store: Pick<Store, 'read'>; wallClock: WallClock };

const dayMs = 86_400_000;
const mostDays = 90;
const sliceEntries = 2_000;
const rememberedAccounts = 1_000;
/**
 * By so much the times of neighbouring entries may be out of order at the most: processes have clocks of their own,
 * and an operation waits between reading the time and being written.
 */
const disorderMs = 3_600_000;

type Totals = { charge: number; reserve: number; release: number };

/** All entries up to number `through` that are of `firstDay` or later are in `days`. */
type Summed = { firstDay: number; through: number; days: ReadonlyMap<number, Totals> };

const countEntries = statement((db, arg: { account: string }) =>
  db.selectFrom('account').select('entries').where('id', '=', arg.account),
);

const findTime = statement((db, arg: { account: string; number: number }) =>
  db.selectFrom('entry').select('at').where('account_id', '=', arg.account).where('number', '=', arg.number),
);

const dayOfEntry = sql<number>`at / ${sql.lit(dayMs)}`;

const sumSlice = statement((db, arg: { account: string; after: number; through: number }) =>
  db
    .selectFrom('entry')
    .select(['kind', dayOfEntry.as('day'), (eb) => eb.fn.sum<number>('credits').as('credits')])
    .where('account_id', '=', arg.account)
    .where('number', '>', arg.after)
    .where('number', '<=', arg.through)
    .groupBy(['kind', dayOfEntry]),
);

export function createReadUsage({ store, wallClock }: ReadUsageParts): ReadUsage {
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
      for (const { kind, day, credits } of await store.read.all(sumSlice, { account, after, through })) {
        if (kind !== 'grant') add(days, day, { kind, credits });
      }
      await breathe();
    }
    return { firstDay: start.firstDay, through: entries, days };
  }

  return async ({ accountId, days }) => {
    const today = Math.floor(wallClock.now() / dayMs);
    const summed = await sumUp(accountId, today - days + 1);
    remembered.set(accountId, withoutOldDays(summed, today - mostDays + 1));
    return Array.from({ length: days }, (_, n) => usageOf(today - days + 1 + n, summed));
  };
}

function add(
  days: Map<number, Totals>,
  day: number,
  { kind, credits }: { kind: keyof Totals; credits: number },
): void {
  const totals = days.get(day) ?? { charge: 0, reserve: 0, release: 0 };
  days.set(day, { ...totals, [kind]: totals[kind] + credits });
}

function withoutOldDays({ firstDay, through, days }: Summed, oldest: number): Summed {
  const kept = [...days].filter(([day]) => day >= oldest);
  return { firstDay: Math.max(firstDay, oldest), through, days: new Map(kept) };
}

function usageOf(day: number, { days }: Summed): UsageDay {
  const { charge, reserve, release } = days.get(day) ?? { charge: 0, reserve: 0, release: 0 };
  const date = new Date(day * dayMs).toISOString().slice(0, 10);
  return { date, charged: charge, reserved: reserve, released: release };
}

function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
