import { recordChange, type ChangeParts } from '../audit-log/record-change.ts';
import { statement } from '../db/statement.ts';
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
  return store.write(async (tx) => {
    const changed = await tx.first(writePlan, { account: accountId, plan });
    const change = { action: 'plan_set', subject: accountId, detail: { plan } } as const;
    if (changed !== undefined) await recordChange(tx, { actor, ...change, now });
    const row = changed ?? (await tx.first(findName, { account: accountId }));
    return row === undefined
      ? { kind: 'account_not_found' }
      : { kind: 'set', accountId, name: row.name, plan };
  }, accountId);
}
