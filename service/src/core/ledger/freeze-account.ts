import { recordChange } from './record-change.ts';
import { statement, type Tx } from '../store/statement.ts';

const freeze = statement((db, arg: { account: string; now: number }) =>
  db
    .updateTable('account')
    .set({ frozen_at: arg.now })
    .where('id', '=', arg.account)
    .where('frozen_at', 'is', null),
);

/**
 * Stops all further reservations of an account whose books do not balance. What is already held is still
 * settled. Nothing is repaired: the operator looks at the entries first. Says whether it was not frozen before.
 */
export async function freezeAccount(
  tx: Tx,
  { accountId, because, now }: { accountId: string; because: string; now: number },
): Promise<boolean> {
  const changed = (await tx.change(freeze, { account: accountId, now })) > 0;
  const change = { action: 'account_frozen', subject: accountId, detail: { because } } as const;
  if (changed) await recordChange(tx, { actor: 'service', ...change, now });
  return changed;
}
