import { multiRowInsert } from '../store/multi-row-insert.ts';
import { statement, type BatchWork, type Tx } from '../store/statement.ts';
import { timeOrderedId } from '../store/time-ordered-id.ts';
import { assertCredits } from './credits.ts';
import { countAgainstCap, giveBackToCap, secondsOfDayLeft, type ReservingKey } from './daily-cap.ts';
import { writeEntries } from './write-entries.ts';

/**
 * Moves credits from available to reserved and opens a hold on them. The check and the move are one
 * statement, so that no number of concurrent requests reserves more than there is.
 *
 * What is reserved of an account at the same time is reserved together: one debit of the sum, each with its own hold
 * and entry. Where there is not enough for all, each tries for itself. What a key with a cap reserves is reserved
 * together with what the same key does, and counted against its cap first (see daily-cap.ts).
 */
export type Reservation = {
  accountId: string;
  /** The key it is reserved with, or nobody's where a person reserves. */
  key: ReservingKey;
  credits: number;
  /** Reserve only if this many are available: a task reserves in two parts and takes both or none. */
  ifAvailable: number;
  /** Who gives the hold back if it is not settled: a process until a time, or (null) the task it belongs to. */
  keeper: { processId: string; expiresAt: number } | null;
  /** The id of the request, where the hold shall be found by it; any id otherwise. */
  holdId?: string;
  now: number;
};

export type ReserveAnswer = { kind: 'reserved'; holdId: string } | ReserveRefusal;

export type ReserveRefusal =
  | { kind: 'insufficient_credits' }
  /** The account may have enough; the key has used up its credits of the day. */
  | { kind: 'key_limit_reached'; retryAfterSeconds: number }
  | { kind: 'account_frozen' };

type Debit = { account: string; credits: number; ifAvailable: number; entries: number; now: number };

const debit = statement((db, arg: Debit) =>
  db
    .updateTable('account')
    .set((eb) => ({
      available: eb('available', '-', arg.credits),
      reserved: eb('reserved', '+', arg.credits),
      entries: eb('entries', '+', arg.entries),
      touched_at: arg.now,
    }))
    .where('id', '=', arg.account)
    .where('available', '>=', arg.ifAvailable)
    .where('frozen_at', 'is', null)
    .returning(['entries', 'available', 'wanted_events']),
);

const insertHolds = multiRowInsert('hold', {
  columns: ['account_id', 'id', 'credits', 'owner', 'opened_at', 'expires_at', 'key_id', 'capped_day'],
  constants: { state: 'open', charged: 0, released: 0 },
});

const findFrozen = statement((db, arg: { account: string }) =>
  db.selectFrom('account').select('id').where('id', '=', arg.account).where('frozen_at', 'is not', null),
);

export async function reserve(tx: Tx, reservation: Reservation): Promise<ReserveAnswer> {
  const { accountId, credits, ifAvailable } = reservation;
  assertCredits(credits);
  assertCredits(ifAvailable);
  if (ifAvailable < credits) throw new RangeError('what is reserved must be available');
  const { id, capped } = reservation.key;
  return tx.batch(reservationsOfAccount, capped ? `${accountId} ${id}` : accountId, reservation);
}

const reservationsOfAccount: BatchWork<Reservation, ReserveAnswer> = {
  most: 64,
  run: async (tx, reservations) => {
    const together = await reserveAll(tx, reservations);
    if (typeof together !== 'string') return together;
    const answers: ReserveAnswer[] = [];
    for (const one of reservations) {
      const alone = reservations.length === 1 ? together : await reserveAll(tx, [one]);
      answers.push(...(typeof alone === 'string' ? [await refusal(tx, one, alone)] : alone));
    }
    return answers;
  },
};

/** Why reservations cannot all be made, one after the other. */
type Shortage = 'account_short' | 'key_short';

/** Where there is not enough for all, or the account is frozen, nothing is written. */
async function reserveAll(tx: Tx, reservations: Reservation[]): Promise<ReserveAnswer[] | Shortage> {
  const [{ accountId, key }] = reservations as [Reservation];
  let credits = 0;
  let ifAvailable = 0;
  for (const one of reservations) {
    ifAvailable = Math.max(ifAvailable, credits + one.ifAvailable);
    credits += one.credits;
  }
  const now = Math.max(...reservations.map((one) => one.now));
  const cappedKey = key.capped ? key.id : null;
  const day =
    cappedKey === null ? null : await countAgainstCap(tx, { key: cappedKey, credits, ifAvailable, now });
  if (day === undefined) return 'key_short';
  const count = reservations.length;
  const account = await tx.first(debit, { account: accountId, credits, ifAvailable, entries: count, now });
  if (account === undefined) {
    if (cappedKey !== null && day !== null) await giveBackToCap(tx, { key: cappedKey, day, credits });
    return 'account_short';
  }

  const holds = reservations.map((one) => ({ ...one, holdId: one.holdId ?? timeOrderedId(one.now), day }));
  insertHolds(tx, holds.map(holdRow));
  writeEntries(tx, { accountId, entries: account.entries }, holds.map(reserveEntry));
  const { available, wanted_events: wanted } = account;
  const from = available + credits;
  await tx.tell({ kind: 'credits_fell', accountId, wanted, from, to: available, now });
  return holds.map(({ holdId }) => ({ kind: 'reserved', holdId }));
}

/** `day`: on which the key's cap counted it. */
type NamedReservation = Reservation & { holdId: string; day: number | null };

function holdRow({ accountId, holdId, credits, keeper, key, day, now }: NamedReservation) {
  return {
    account_id: accountId,
    id: holdId,
    credits,
    owner: keeper?.processId ?? null,
    opened_at: now,
    expires_at: keeper?.expiresAt ?? null,
    key_id: key.id,
    capped_day: day,
  };
}

function reserveEntry({ holdId, credits, now }: NamedReservation) {
  return { kind: 'reserve' as const, credits, op: `reserve:${holdId}`, hold_id: holdId, at: now };
}

async function refusal(tx: Tx, { accountId, now }: Reservation, shortage: Shortage): Promise<ReserveRefusal> {
  if (shortage === 'key_short')
    return { kind: 'key_limit_reached', retryAfterSeconds: secondsOfDayLeft(now) };
  const frozen = await tx.first(findFrozen, { account: accountId });
  return { kind: frozen === undefined ? 'insufficient_credits' : 'account_frozen' };
}
