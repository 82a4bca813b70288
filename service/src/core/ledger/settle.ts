import { sql } from 'kysely';
import { hasOneOfIds } from '../store/dialect.ts';
import { createPlaces, type Places } from '../store/places.ts';
import { statement, type BatchWork, type Tx } from '../store/statement.ts';
import { giveBackToCap } from './daily-cap.ts';
import { writeEntries } from './write-entries.ts';

/**
 * Closes a hold: `charge` credits are spent and the rest goes back. A hold is closed once; who comes
 * second (a retry, a late worker, a sweeper) is told so and changes nothing. What goes back goes back to the cap of the
 * key, too, where one counted it.
 *
 * Holds of an account that are closed at the same time with the same charge are closed together.
 */
type Settlement = { accountId: string; holdId: string; charge: number; now: number };

type SettleAnswer = { kind: 'settled'; charged: number; released: number } | { kind: 'already_settled' };

type Closing = Places & { account: string; charge: number };

const mostHolds = 64;

/** Statements for a few sizes. */
const closings = [1, 8, mostHolds].map(createPlaces).map((places) => ({
  places,
  closeHolds: statement((db, arg: Closing) =>
    db
      .updateTable('hold')
      .set((eb) => ({
        state: 'settled' as const,
        charged: arg.charge,
        released: eb('credits', '-', arg.charge),
      }))
      .where(hasOneOfIds(db, 'hold', { account: arg.account, ids: places.of(arg) }))
      .where('state', '=', sql.lit('open'))
      .returning(['id', 'credits', 'charged', 'released', 'key_id', 'capped_day']),
  ),
}));

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

export async function settle(tx: Tx, settlement: Settlement): Promise<SettleAnswer> {
  const { accountId, charge } = settlement;
  if (!Number.isSafeInteger(charge) || charge < 0) throw new RangeError('a charge is a whole number');
  return tx.batch(settlementsOfAccount, `${accountId} ${charge}`, settlement);
}

const settlementsOfAccount: BatchWork<Settlement, SettleAnswer> = {
  most: mostHolds,
  run: async (tx, settlements) => {
    const open = await closeHolds(tx, settlements);
    const answers: SettleAnswer[] = [];
    const closed: ClosedHold[] = [];
    for (const { holdId, now } of settlements) {
      const hold = open.get(holdId);
      // Of those that close the same hold in this very moment one is the first.
      open.delete(holdId);
      if (hold !== undefined) closed.push({ ...hold, now });
      answers.push(
        hold === undefined
          ? { kind: 'already_settled' }
          : { kind: 'settled', charged: hold.charged, released: hold.released },
      );
    }
    const [first] = settlements;
    if (first !== undefined && closed.length > 0) await moveAll(tx, first.accountId, closed);
    return answers;
  },
};

type ClosedHold = {
  id: string;
  credits: number;
  charged: number;
  released: number;
  key_id: string | null;
  capped_day: number | null;
  now: number;
};

async function closeHolds(tx: Tx, settlements: Settlement[]): Promise<Map<string, Omit<ClosedHold, 'now'>>> {
  const [{ accountId, charge }] = settlements as [Settlement];
  const closing = closings.find(({ places }) => places.count >= settlements.length);
  if (closing === undefined) throw new RangeError(`${settlements.length} holds are too many at once`);
  const holds = closing.places.for(settlements.map(({ holdId }) => holdId));
  const rows = await tx.all(closing.closeHolds, { account: accountId, charge, ...holds });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Moves what the holds held, and writes what became of each. */
async function moveAll(tx: Tx, accountId: string, holds: ClosedHold[]): Promise<void> {
  const entries = holds.flatMap(entriesOf);
  const sum = (figure: 'credits' | 'charged' | 'released') =>
    holds.reduce((total, hold) => total + hold[figure], 0);
  const account = await tx.first(moveCredits, {
    account: accountId,
    credits: sum('credits'),
    charged: sum('charged'),
    released: sum('released'),
    entries: entries.length,
    now: Math.max(...holds.map(({ now }) => now)),
  });
  if (account === undefined) throw new Error('a hold without an account');
  writeEntries(tx, { accountId, entries: account.entries }, entries);
  await giveBackToCaps(tx, holds);
}

/** One statement for each key and day; none where no cap had counted anything that goes back. */
async function giveBackToCaps(tx: Tx, holds: ClosedHold[]): Promise<void> {
  const counted = new Map<string, { key: string; day: number; credits: number }>();
  for (const { key_id: key, capped_day: day, released } of holds) {
    if (key === null || day === null || released === 0) continue;
    const place = `${key} ${day}`;
    const before = counted.get(place)?.credits ?? 0;
    counted.set(place, { key, day, credits: before + released });
  }
  for (const one of counted.values()) await giveBackToCap(tx, one);
}

function entriesOf({ id, charged, released, now }: ClosedHold) {
  const parts = [
    { kind: 'charge' as const, credits: charged },
    { kind: 'release' as const, credits: released },
  ];
  return parts
    .filter(({ credits }) => credits > 0)
    .map((part) => ({ ...part, op: `${part.kind}:${id}`, hold_id: id, at: now }));
}
