import { statement, type Tx } from '../db/statement.ts';
import { timeOrderedId } from '../db/time-ordered-id.ts';
import { assertCredits } from './credits.ts';
import { refusal } from './refusal.ts';
import { writeEntry } from './write-entry.ts';

/**
 * Moves credits from available to reserved and opens a hold on them. The check and the move are one
 * statement, so that no number of concurrent requests reserves more than there is.
 */
export type Reservation = {
  accountId: string;
  credits: number;
  /** Reserve only if this many are available: a task reserves in two parts and takes both or none. */
  ifAvailable: number;
  /** Who gives the hold back if it is not settled: a process until a time, or (null) the task it belongs to. */
  keeper: { processId: string; expiresAt: number } | null;
  /** The id of the request, where the hold shall be found by it; any id otherwise. */
  holdId?: string;
  now: number;
};

export type ReserveAnswer =
  { kind: 'reserved'; holdId: string } | { kind: 'insufficient_credits' } | { kind: 'account_frozen' };

const debit = statement((db, arg: { account: string; credits: number; ifAvailable: number; now: number }) =>
  db
    .updateTable('account')
    .set((eb) => ({
      available: eb('available', '-', arg.credits),
      reserved: eb('reserved', '+', arg.credits),
      entries: eb('entries', '+', eb.lit(1)),
      touched_at: arg.now,
    }))
    .where('id', '=', arg.account)
    .where('available', '>=', arg.ifAvailable)
    .where('frozen_at', 'is', null)
    .returning('entries'),
);

type NewHold = {
  account: string;
  id: string;
  credits: number;
  owner: string | null;
  now: number;
  expires: number | null;
};

const insertHold = statement((db, arg: NewHold) =>
  db.insertInto('hold').values({
    account_id: arg.account,
    id: arg.id,
    credits: arg.credits,
    state: 'open',
    charged: 0,
    released: 0,
    owner: arg.owner,
    opened_at: arg.now,
    expires_at: arg.expires,
  }),
);

export async function reserve(tx: Tx, reservation: Reservation): Promise<ReserveAnswer> {
  const { accountId: account, credits, ifAvailable, keeper, now } = reservation;
  assertCredits(credits);
  assertCredits(ifAvailable);
  if (ifAvailable < credits) throw new RangeError('what is reserved must be available');
  const debited = await tx.first(debit, { account, credits, ifAvailable, now });
  if (debited === undefined) return refusal(tx, account);

  const id = reservation.holdId ?? timeOrderedId(now);
  const owner = keeper?.processId ?? null;
  await tx.change(insertHold, { account, id, credits, owner, now, expires: keeper?.expiresAt ?? null });
  await writeEntry(tx, {
    account_id: account,
    number: debited.entries,
    kind: 'reserve',
    credits,
    op: `reserve:${id}`,
    hold_id: id,
    at: now,
  });
  return { kind: 'reserved', holdId: id };
}
