import type { Balance } from '../credits/credits.ts';
import { statement } from '../db/statement.ts';
import type { Store } from '../db/store.ts';
import type { Caller } from '../keys/authenticate.ts';
import type { Account } from './create-account.ts';

/** An account as the holder of one of its keys sees it. */
export type ReadAccountAnswer = Account & {
  credits: Balance;
  frozen: boolean;
  /** The key of the request. */
  key: { keyId: string; name: string; mode: 'live' | 'test' };
};

const findAccount = statement((db, arg: { key: string; account: string }) =>
  db
    .selectFrom('api_key')
    .innerJoin('account', 'account.id', 'api_key.account_id')
    .select(['account.name', 'account.plan', 'account.frozen_at'])
    .select(['account.granted', 'account.available', 'account.reserved', 'account.spent'])
    .select(['api_key.name as key_name', 'api_key.mode'])
    .where('api_key.id', '=', arg.key)
    .where('account.id', '=', arg.account),
);

export async function readAccount(
  { accountId, keyId }: Caller,
  { store }: { store: Pick<Store, 'read'> },
): Promise<ReadAccountAnswer> {
  const row = await store.read.first(findAccount, { key: keyId, account: accountId });
  if (row === undefined) throw new Error('a caller whose key is gone: neither keys nor accounts are erased');
  const { name, plan, granted, available, reserved, spent, frozen_at, key_name, mode } = row;
  return {
    accountId,
    name,
    plan,
    credits: { granted, available, reserved, spent },
    frozen: frozen_at !== null,
    key: { keyId, name: key_name, mode },
  };
}
