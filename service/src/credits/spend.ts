import { statement, type Tx } from '../db/statement.ts';
import type { ReserveAnswer } from './reserve.ts';
import { refusal } from './refusal.ts';

/**
 * Reserves a credit and charges it in the same transaction, for what is known before it is paid for. The books read
 * as if the two had come one after the other: a hold, settled, with an entry for each step.
 */
type Spending = { accountId: string; holdId: string; now: number };

type SpendAnswer = { kind: 'spent' } | Exclude<ReserveAnswer, { kind: 'reserved' }>;

const pay = statement((db, arg: { account: string; now: number }) =>
  db
    .updateTable('account')
    .set((eb) => ({
      available: eb('available', '-', eb.lit(1)),
      spent: eb('spent', '+', eb.lit(1)),
      entries: eb('entries', '+', eb.lit(2)),
      touched_at: arg.now,
    }))
    .where('id', '=', arg.account)
    .where('available', '>=', 1)
    .where('frozen_at', 'is', null)
    .returning('entries'),
);

const insertSettled = statement((db, arg: { account: string; hold: string; now: number }) =>
  db.insertInto('hold').values((eb) => ({
    account_id: arg.account,
    id: arg.hold,
    credits: eb.lit(1),
    state: 'settled' as const,
    charged: eb.lit(1),
    released: eb.lit(0),
    owner: null,
    opened_at: arg.now,
    // Only the hold of a task has no end of its own: by that the two are told apart (see operator/find-request.ts).
    expires_at: arg.now,
  })),
);

type Pair = {
  account: string;
  hold: string;
  now: number;
  reserve: number;
  charge: number;
  reserveOp: string;
  chargeOp: string;
};

const insertPair = statement((db, arg: Pair) =>
  db.insertInto('entry').values((eb) => [
    {
      account_id: arg.account,
      number: arg.reserve,
      kind: 'reserve' as const,
      credits: eb.lit(1),
      op: arg.reserveOp,
      hold_id: arg.hold,
      at: arg.now,
    },
    {
      account_id: arg.account,
      number: arg.charge,
      kind: 'charge' as const,
      credits: eb.lit(1),
      op: arg.chargeOp,
      hold_id: arg.hold,
      at: arg.now,
    },
  ]),
);

export async function spend(
  tx: Tx,
  { accountId: account, holdId: hold, now }: Spending,
): Promise<SpendAnswer> {
  const paid = await tx.first(pay, { account, now });
  if (paid === undefined) return refusal(tx, account);
  const ops = { reserveOp: `reserve:${hold}`, chargeOp: `charge:${hold}` };
  await Promise.all([
    tx.change(insertSettled, { account, hold, now }),
    tx.change(insertPair, { account, hold, now, reserve: paid.entries - 1, charge: paid.entries, ...ops }),
  ]);
  return { kind: 'spent' };
}
