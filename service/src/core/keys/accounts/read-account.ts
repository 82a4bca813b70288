import type { Balance } from '../../ledger/credits.ts';
import { statement } from '../../store/statement.ts';
import type { Store } from '../../store/store.ts';
import type { Caller } from '../authenticate.ts';
import type { Account } from './create-account.ts';

/** An account as the holder of one of its keys sees it. */
export type ReadAccountAnswer = Account & {
  credits: Balance;
  frozen: boolean;
  /** The key of the request; null where a person has signed in. */
  key: { keyId: string; name: string; mode: 'live' | 'test' } | null;
};

const findAccount = statement((db, arg: { key: string | null; account: string }) =>
  db
    .selectFrom('account')
    .leftJoin('api_key', (join) =>
      join.onRef('api_key.account_id', '=', 'account.id').on('api_key.id', '=', arg.key),
    )
    .select(['account.name', 'account.plan', 'account.frozen_at'])
    .select(['account.granted', 'account.available', 'account.reserved', 'account.spent'])
    .select(['api_key.name as key_name', 'api_key.mode'])
    .where('account.id', '=', arg.account),
);

export async function readAccount(
  { accountId, keyId }: Caller,
  { store }: { store: Pick<Store, 'read'> },
): Promise<ReadAccountAnswer> {
  const row = await store.read.first(findAccount, { key: keyId, account: accountId });
  // Neither keys nor accounts are erased.
  if (row === undefined) throw new Error('a caller whose account is gone');
  const { name, plan, granted, available, reserved, spent, frozen_at, key_name, mode } = row;
  if (keyId !== null && (key_name === null || mode === null)) throw new Error('a caller whose key is gone');
  return {
    accountId,
    name,
    plan,
    credits: { granted, available, reserved, spent },
    frozen: frozen_at !== null,
    key: keyId === null || key_name === null || mode === null ? null : { keyId, name: key_name, mode },
  };
}
