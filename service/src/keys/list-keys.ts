import type { Store } from '../db/store.ts';
import { statement } from '../db/statement.ts';

export type ListedKey = {
  keyId: string;
  accountId: string;
  mode: 'live' | 'test';
  name: string;
  last4: string;
  createdAt: number;
  deletedAt: number | null;
};

const findKeys = statement((db, arg: { account: string }) =>
  db
    .selectFrom('api_key')
    .select(['id', 'mode', 'name', 'last4', 'created_at', 'deleted_at'])
    .where('account_id', '=', arg.account)
    .orderBy('created_at')
    .orderBy('id'),
);

export async function listKeys(
  accountId: string,
  { store }: { store: Pick<Store, 'read'> },
): Promise<ListedKey[]> {
  const rows = await store.read.all(findKeys, { account: accountId });
  return rows.map((row) => ({
    keyId: row.id,
    accountId,
    mode: row.mode,
    name: row.name,
    last4: row.last4,
    createdAt: row.created_at,
    deletedAt: row.deleted_at,
  }));
}
