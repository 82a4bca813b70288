import { statement, type Reader } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import type { Balance } from './credits.ts';

const findBalance = statement((db, arg: { account: string }) =>
  db
    .selectFrom('account')
    .select(['granted', 'available', 'reserved', 'spent'])
    .where('id', '=', arg.account),
);

export async function readBalance(reader: Reader, accountId: string): Promise<Balance | undefined> {
  return reader.first(findBalance, { account: accountId });
}

export type ShowCreditsAnswer =
  ({ kind: 'credits'; accountId: string } & Balance) | { kind: 'account_not_found' };

export async function showCredits(
  accountId: string,
  { store }: { store: Pick<Store, 'read'> },
): Promise<ShowCreditsAnswer> {
  const balance = await readBalance(store.read, accountId);
  return balance === undefined ? { kind: 'account_not_found' } : { kind: 'credits', accountId, ...balance };
}
