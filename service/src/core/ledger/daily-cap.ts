import { sql } from 'kysely';
import { statement, type Tx } from '../store/statement.ts';

/**
 * The cap of a key: a number of credits per UTC day. Reserved credits count at once; released credits go back to
 * the day they were counted on. So the charges of a key never exceed its cap, however many requests run at once.
 *
 * The check and the count are one statement, in the transaction that moves the account's credits. Keys without a
 * cap skip it. A day never goes back: if a process's clock is behind, its requests count for the day that another
 * process has begun.
 */
export const dayMs = 86_400_000;

/**
 * The key that a reservation counts for; null if a person asks. `capped`: whether the key had a cap when it was
 * last read.
 */
export type ReservingKey = { id: string; capped: boolean } | { id: null; capped: false };

type Counting = { key: string; day: number; credits: number; ifAvailable: number };

const countCredits = statement((db, arg: Counting) =>
  db
    .updateTable('api_key')
    .set({
      capped_credits: sql<number>`case when capped_day >= ${arg.day} then capped_credits else 0 end + ${arg.credits}`,
      capped_day: sql<number>`case when capped_day >= ${arg.day} then capped_day else ${arg.day} end`,
    })
    .where('id', '=', arg.key)
    // A cap that was removed since the key was read refuses nothing.
    .where((eb) =>
      eb.or([
        eb('credits_per_day', 'is', null),
        sql<boolean>`case when capped_day >= ${arg.day} then capped_credits else 0 end + ${arg.ifAvailable}
          <= credits_per_day`,
      ]),
    )
    .returning('capped_day'),
);

const uncountCredits = statement((db, arg: { key: string; day: number; credits: number }) =>
  db
    .updateTable('api_key')
    .set((eb) => ({ capped_credits: eb('capped_credits', '-', arg.credits) }))
    .where('id', '=', arg.key)
    .where('capped_day', '=', arg.day),
);

/**
 * Counts credits against the cap and returns the day. Returns `undefined`, and writes nothing, if the cap is
 * reached.
 */
export async function countAgainstCap(
  tx: Tx,
  { now, ...count }: Omit<Counting, 'day'> & { now: number },
): Promise<number | undefined> {
  const row = await tx.first(countCredits, { ...count, day: Math.floor(now / dayMs) });
  return row?.capped_day;
}

/** Gives credits back to the day they were counted on. A day that is over stays as it is. */
export async function giveBackToCap(
  tx: Tx,
  counted: { key: string; day: number; credits: number },
): Promise<void> {
  await tx.change(uncountCredits, counted);
}

/** Returns the seconds until the next day, and its new count, begins. */
export function secondsOfDayLeft(now: number): number {
  return Math.ceil((dayMs - (now % dayMs)) / 1_000);
}
