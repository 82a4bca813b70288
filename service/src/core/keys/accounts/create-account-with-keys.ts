import type { ChangeParts } from '../../ledger/record-change.ts';
import type { Tx } from '../../store/statement.ts';
import { writeKey, type IssuedKey } from '../issue-key.ts';
import { writeAccount, type Account, type AccountRequest } from './create-account.ts';

export type AccountWithKeys = { account: Account; liveKey: IssuedKey; testKey: IssuedKey };

/** An account that can be used at once: with a live key and a test key. */
export async function createAccountWithKeys(
  request: AccountRequest,
  { store, wallClock, actor }: ChangeParts,
): Promise<AccountWithKeys> {
  const now = wallClock.now();
  return store.write((tx) => writeAccountWithKeys(tx, { ...request, actor, now }));
}

/** In the caller's transaction. */
export async function writeAccountWithKeys(
  tx: Tx,
  request: Parameters<typeof writeAccount>[1],
): Promise<AccountWithKeys> {
  const { actor, now } = request;
  const account = await writeAccount(tx, request);
  const { accountId } = account;
  const liveKey = await writeKey(tx, { accountId, mode: 'live', actor, now });
  const testKey = await writeKey(tx, { accountId, mode: 'test', actor, now });
  if (liveKey.kind !== 'issued' || testKey.kind !== 'issued') throw new Error('a new account had keys');
  return { account, liveKey, testKey };
}
