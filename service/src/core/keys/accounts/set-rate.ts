import { recordChange, type Actor, type ChangeParts } from '../../ledger/record-change.ts';
import { statement, type Tx } from '../../store/statement.ts';

const writeRate = statement((db, arg: { account: string; rate: number | null }) =>
  db
    .updateTable('account')
    .set({ requests_per_minute: arg.rate })
    .where('id', '=', arg.account)
    .returning('name'),
);

type SetRateRequest = {
  accountId: string;
  /** Null: as many as the setting says. */
  requestsPerMinute: number | null;
};

/** Takes effect within a second in every process (see keys/authenticate.ts). */
export async function setRate(
  { accountId, requestsPerMinute }: SetRateRequest,
  { store, wallClock, actor }: ChangeParts,
): Promise<SetRateAnswer> {
  const now = wallClock.now();
  return store.write((tx) => writeAccountRate(tx, { accountId, requestsPerMinute, actor, now }), accountId);
}

type SetRateAnswer = { kind: 'set'; accountId: string } | { kind: 'account_not_found' };

/** For callers that change more of the account in the same transaction. */
export async function writeAccountRate(
  tx: Tx,
  { accountId, requestsPerMinute, actor, now }: SetRateRequest & { actor: Actor; now: number },
): Promise<SetRateAnswer> {
  const row = await tx.first(writeRate, { account: accountId, rate: requestsPerMinute });
  if (row === undefined) return { kind: 'account_not_found' };
  const detail = { requests_per_minute: requestsPerMinute ?? 'default' };
  await recordChange(tx, { actor, action: 'rate_set', subject: accountId, detail, now });
  return { kind: 'set', accountId };
}
