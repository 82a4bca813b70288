import type { Store } from '../db/store.ts';
import { statement } from '../db/statement.ts';
import type { Account, Plan } from './create-account.ts';

const writePlan = statement((db, arg: { account: string; plan: Plan }) =>
  db.updateTable('account').set({ plan: arg.plan }).where('id', '=', arg.account).returning('name'),
);

export type SetPlanAnswer = ({ kind: 'set' } & Account) | { kind: 'account_not_found' };

/** Counts within a second in every process (see keys/authenticate.ts). */
export async function setPlan(
  { accountId, plan }: { accountId: string; plan: Plan },
  { store }: { store: Store },
): Promise<SetPlanAnswer> {
  const row = await store.write((tx) => tx.first(writePlan, { account: accountId, plan }));
  return row === undefined ? { kind: 'account_not_found' } : { kind: 'set', accountId, name: row.name, plan };
}
