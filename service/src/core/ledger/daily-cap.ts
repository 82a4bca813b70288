import { sql } from 'kysely';
import { statement, type Tx } from '../store/statement.ts';

/**
 * The cap of a key: so many credits a day, in UTC. What is reserved counts at once, what is released goes back to the
 * day it was counted on, so that what the key is charged never exceeds the cap, however many ask at once.
 *
 * The check and the count are one statement, in the transaction that moves the account's credits. A key without a cap
 * never comes here. A day never goes back: where the clock of one process is behind, its requests count for the day
 * that another has begun.
 */
export const dayMs = 86_400_000;

/** What a reservation is counted for, null where a person asks; `capped` says whether the key had a cap when it was last looked at. */
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
    // A cap that was taken away since the key was looked at refuses nothing.
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

/** The day that they were counted on; nothing where the cap is reached, and then nothing is written. */
export async function countAgainstCap(
  tx: Tx,
  { now, ...count }: Omit<Counting, 'day'> & { now: number },
): Promise<number | undefined> {
  const row = await tx.first(countCredits, { ...count, day: Math.floor(now / dayMs) });
  return row?.capped_day;
}

/** A day that is over is left as it was. */
export async function giveBackToCap(
  tx: Tx,
  counted: { key: string; day: number; credits: number },
): Promise<void> {
  await tx.change(uncountCredits, counted);
}

/** Until the next day begins, and with it the next count. */
export function secondsOfDayLeft(now: number): number {
  return Math.ceil((dayMs - (now % dayMs)) / 1_000);
}
