import type { Store } from '../db/store.ts';
import { statement } from '../db/statement.ts';
import type { Account } from './create-account.ts';

const findAccounts = statement((db) =>
  db.selectFrom('account').select(['id', 'name', 'plan']).orderBy('created_at').orderBy('id'),
);

export async function listAccounts({ store }: { store: Store }): Promise<Account[]> {
  const rows = await store.read.all(findAccounts, {});
  return rows.map(({ id, name, plan }) => ({ accountId: id, name, plan }));
}
