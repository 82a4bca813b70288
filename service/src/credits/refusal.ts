import { statement, type Tx } from '../db/statement.ts';

const findFrozen = statement((db, arg: { account: string }) =>
  db.selectFrom('account').select('id').where('id', '=', arg.account).where('frozen_at', 'is not', null),
);

/** Why an account's credits could not be taken. */
export async function refusal(
  tx: Tx,
  account: string,
): Promise<{ kind: 'insufficient_credits' } | { kind: 'account_frozen' }> {
  const frozen = await tx.first(findFrozen, { account });
  return { kind: frozen === undefined ? 'insufficient_credits' : 'account_frozen' };
}
