import { recordChange, type Actor } from './record-change.ts';
import { statement, type Tx } from '../store/statement.ts';
import { assertCredits, mostCredits } from './credits.ts';
import { writeEntries } from './write-entries.ts';

/** Gives credits to an account, once for each `op`: a repeat of the same grant changes nothing. */
type Grant = { accountId: string; credits: number; op: string; actor: Actor; now: number };

type GrantAnswer =
  | { kind: 'granted' }
  /** With how many credits, so that the caller can tell a repeat from another request. */
  | { kind: 'already_granted'; credits: number }
  | { kind: 'account_not_found' }
  /** The account would hold more than the ledger counts. */
  | { kind: 'too_many_credits' };

const findOp = statement((db, arg: { op: string }) =>
  db.selectFrom('entry').select('credits').where('op', '=', arg.op),
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
    .returning(['entries', 'wanted_events']),
);

export async function grant(tx: Tx, { accountId, credits, op, actor, now }: Grant): Promise<GrantAnswer> {
  assertCredits(credits);
  const earlier = await tx.first(findOp, { op: `grant:${op}` });
  if (earlier !== undefined) return { kind: 'already_granted', credits: earlier.credits };
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
  writeEntries(tx, { accountId, entries: account.entries }, [
    { kind: 'grant', credits, op: `grant:${op}`, hold_id: null, at: now },
  ]);
  await tx.tell({ kind: 'credits_granted', accountId, wanted: account.wanted_events, now });
  await recordChange(tx, { actor, action: 'credits_granted', subject: accountId, detail: { credits }, now });
  return { kind: 'granted' };
}
