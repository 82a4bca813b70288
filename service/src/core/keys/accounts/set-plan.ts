import { recordChange, type Actor, type ChangeParts } from '../../ledger/record-change.ts';
import { statement, type Tx } from '../../store/statement.ts';
import type { Account, Plan } from './create-account.ts';

const writePlan = statement((db, arg: { account: string; plan: Plan }) =>
  db
    .updateTable('account')
    .set({ plan: arg.plan })
    .where('id', '=', arg.account)
    .where('plan', '<>', arg.plan)
    .returning('name'),
);

const findName = statement((db, arg: { account: string }) =>
  db.selectFrom('account').select('name').where('id', '=', arg.account),
);

export type SetPlanAnswer = ({ kind: 'set' } & Account) | { kind: 'account_not_found' };

/** Takes effect within a second in every process (see keys/authenticate.ts). Setting the same plan changes nothing. */
export async function setPlan(
  { accountId, plan }: { accountId: string; plan: Plan },
  { store, wallClock, actor }: ChangeParts,
): Promise<SetPlanAnswer> {
  const now = wallClock.now();
  return store.write((tx) => writeAccountPlan(tx, { accountId, plan, actor, now }), accountId);
}

/** For callers that change more of the account in the same transaction. */
export async function writeAccountPlan(
  tx: Tx,
  { accountId, plan, actor, now }: { accountId: string; plan: Plan; actor: Actor; now: number },
): Promise<SetPlanAnswer> {
  const changed = await tx.first(writePlan, { account: accountId, plan });
  const change = { action: 'plan_set', subject: accountId, detail: { plan } } as const;
  if (changed !== undefined) await recordChange(tx, { actor, ...change, now });
  const row = changed ?? (await tx.first(findName, { account: accountId }));
  return row === undefined ? { kind: 'account_not_found' } : { kind: 'set', accountId, name: row.name, plan };
}
