import type { Store } from '../db/store.ts';
import type { Balance } from './credits.ts';
import { readBalance } from './read-balance.ts';

export type ShowCreditsAnswer =
  ({ kind: 'credits'; accountId: string } & Balance) | { kind: 'account_not_found' };

export async function showCredits(
  accountId: string,
  { store }: { store: Pick<Store, 'read'> },
): Promise<ShowCreditsAnswer> {
  const balance = await readBalance(store.read, accountId);
  return balance === undefined ? { kind: 'account_not_found' } : { kind: 'credits', accountId, ...balance };
}
