import { randomBytes } from 'node:crypto';
import { recordChange, type Actor, type ChangeParts } from '../../ledger/record-change.ts';
import { grant } from '../../ledger/grant.ts';
import { statement, type Tx } from '../../store/statement.ts';

export type Plan = 'paid' | 'none';
export type Account = { accountId: string; name: string; plan: Plan };
export type AccountRequest = { name: string; plan: Plan; credits: number };

const insertAccount = statement((db, arg: { id: string; name: string; plan: Plan; now: number }) =>
  db.insertInto('account').values({
    id: arg.id,
    name: arg.name,
    plan: arg.plan,
    granted: 0,
    available: 0,
    reserved: 0,
    spent: 0,
    entries: 0,
    touched_at: arg.now,
    frozen_at: null,
    created_at: arg.now,
  }),
);

export async function createAccount(
  request: AccountRequest,
  { store, wallClock, actor }: ChangeParts,
): Promise<Account> {
  const now = wallClock.now();
  return store.write((tx) => writeAccount(tx, { ...request, actor, now }));
}

type By = { actor: Actor; now: number };

/** The account and its first credits, in the caller's transaction. */
export async function writeAccount(
  tx: Tx,
  request: AccountRequest & By & { accountId?: string },
): Promise<Account> {
  const { name, plan, credits, actor, now } = request;
  const accountId = request.accountId ?? `acct_${randomBytes(8).toString('hex')}`;
  await tx.change(insertAccount, { id: accountId, name, plan, now });
  const change = { action: 'account_created', subject: accountId, detail: { name, plan } } as const;
  await recordChange(tx, { actor, ...change, now });
  if (credits !== 0) await grant(tx, { accountId, credits, op: `opening:${accountId}`, actor, now });
  return { accountId, name, plan };
}
