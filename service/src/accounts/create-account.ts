import { randomBytes } from 'node:crypto';
import { grant } from '../credits/grant.ts';
import type { Store } from '../db/store.ts';
import { statement, type Tx } from '../db/statement.ts';
import type { WallClock } from '../db/wall-clock.ts';

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
  { store, wallClock }: { store: Store; wallClock: WallClock },
): Promise<Account> {
  const now = wallClock.now();
  return store.write((tx) => writeAccount(tx, { ...request, now }));
}

/** The account and its first credits, in the caller's transaction. */
export async function writeAccount(tx: Tx, request: AccountRequest & { now: number }): Promise<Account> {
  const { name, plan, credits, now } = request;
  const accountId = `acct_${randomBytes(8).toString('hex')}`;
  await tx.change(insertAccount, { id: accountId, name, plan, now });
  if (credits !== 0) await grant(tx, { accountId, credits, op: `opening:${accountId}`, now });
  return { accountId, name, plan };
}
