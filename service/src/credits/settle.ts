import { sql } from 'kysely';
import { statement, type Tx } from '../db/statement.ts';
import { writeEntry } from './write-entry.ts';

/**
 * Closes a hold: `charge` credits are spent and the rest goes back. A hold is closed once; who comes
 * second (a retry, a late worker, a sweeper) is told so and changes nothing.
 */
type Settlement = { accountId: string; holdId: string; charge: number; now: number };

type SettleAnswer = { kind: 'settled'; charged: number; released: number } | { kind: 'already_settled' };

const closeHold = statement((db, arg: { account: string; hold: string; charge: number }) =>
  db
    .updateTable('hold')
    .set((eb) => ({
      state: 'settled' as const,
      charged: arg.charge,
      released: eb('credits', '-', arg.charge),
    }))
    .where('account_id', '=', arg.account)
    .where('id', '=', arg.hold)
    .where('state', '=', sql.lit('open'))
    .returning(['credits', 'charged', 'released']),
);

type Figures = {
  account: string;
  credits: number;
  charged: number;
  released: number;
  entries: number;
  now: number;
};

const moveCredits = statement((db, arg: Figures) =>
  db
    .updateTable('account')
    .set((eb) => ({
      reserved: eb('reserved', '-', arg.credits),
      spent: eb('spent', '+', arg.charged),
      available: eb('available', '+', arg.released),
      entries: eb('entries', '+', arg.entries),
      touched_at: arg.now,
    }))
    .where('id', '=', arg.account)
    .returning('entries'),
);

export async function settle(tx: Tx, { accountId, holdId, charge, now }: Settlement): Promise<SettleAnswer> {
  if (!Number.isSafeInteger(charge) || charge < 0) throw new RangeError('a charge is a whole number');
  const hold = await tx.first(closeHold, { account: accountId, hold: holdId, charge });
  if (hold === undefined) return { kind: 'already_settled' };

  const { credits, charged, released } = hold;
  const parts = [
    { kind: 'charge' as const, credits: charged },
    { kind: 'release' as const, credits: released },
  ].filter((part) => part.credits > 0);
  const figures = { account: accountId, credits, charged, released, entries: parts.length, now };
  const account = await tx.first(moveCredits, figures);
  if (account === undefined) throw new Error('a hold without an account');

  let number = account.entries - parts.length;
  for (const part of parts) {
    number += 1;
    const op = `${part.kind}:${holdId}`;
    await writeEntry(tx, { account_id: accountId, number, ...part, op, hold_id: holdId, at: now });
  }
  return { kind: 'settled', charged, released };
}
