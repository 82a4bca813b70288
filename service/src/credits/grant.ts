import { statement, type Tx } from '../db/statement.ts';
import { assertCredits, mostCredits } from './credits.ts';
import { writeEntry } from './write-entry.ts';

/** Gives credits to an account, once for each `op`: a repeat of the same grant changes nothing. */
type Grant = { accountId: string; credits: number; op: string; now: number };

type GrantAnswer =
  | { kind: 'granted' }
  | { kind: 'already_granted' }
  | { kind: 'account_not_found' }
  /** The account would hold more than the ledger counts. */
  | { kind: 'too_many_credits' };

const findOp = statement((db, arg: { op: string }) =>
  db.selectFrom('entry').select('number').where('op', '=', arg.op),
);

const findAccount = statement((db, arg: { account: string }) =>
  db.selectFrom('account').select('id').where('id', '=', arg.account),
);

const addCredits = statement((db, arg: { account: string; credits: number; most: number; now: number }) =>
  db
    .updateTable('account')
    .set((eb) => ({
      granted: eb('granted', '+', arg.credits),
      available: eb('available', '+', arg.credits),
      entries: eb('entries', '+', eb.lit(1)),
      touched_at: arg.now,
    }))
    .where('id', '=', arg.account)
    .where('granted', '<=', arg.most)
    .returning('entries'),
);

export async function grant(tx: Tx, { accountId, credits, op, now }: Grant): Promise<GrantAnswer> {
  assertCredits(credits);
  if ((await tx.first(findOp, { op: `grant:${op}` })) !== undefined) return { kind: 'already_granted' };
  const account = await tx.first(addCredits, {
    account: accountId,
    credits,
    most: mostCredits - credits,
    now,
  });
  if (account === undefined) {
    const exists = (await tx.first(findAccount, { account: accountId })) !== undefined;
    return { kind: exists ? 'too_many_credits' : 'account_not_found' };
  }
  await writeEntry(tx, {
    account_id: accountId,
    number: account.entries,
    kind: 'grant',
    credits,
    op: `grant:${op}`,
    hold_id: null,
    at: now,
  });
  return { kind: 'granted' };
}
