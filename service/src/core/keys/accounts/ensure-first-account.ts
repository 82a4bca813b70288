import type { Store } from '../../store/store.ts';
import { statement } from '../../store/statement.ts';
import type { WallClock } from '../../store/wall-clock.ts';
import { writeAccountWithKeys, type AccountWithKeys } from './create-account-with-keys.ts';

export type FirstAccountAnswer =
  ({ kind: 'created'; credits: number } & AccountWithKeys) | { kind: 'exists' };

const anyAccount = statement((db) => db.selectFrom('account').select('id').limit(1));

const credits = 1_000;
const firstAccountId = 'acct_0000000000000001';

/**
 * A new installation starts with an account to try it with. Its id is fixed, so that of two concurrent first starts only
 * one creates it: the other is refused by the primary key, is run again, and finds it.
 */
export async function ensureFirstAccount({
  store,
  wallClock,
}: {
  store: Store;
  wallClock: WallClock;
}): Promise<FirstAccountAnswer> {
  const by = { actor: 'service', now: wallClock.now() } as const;
  return store.write(async (tx) => {
    if ((await tx.first(anyAccount, {})) !== undefined) return { kind: 'exists' };
    const request = { accountId: firstAccountId, name: 'first account', plan: 'paid', credits } as const;
    return { kind: 'created', credits, ...(await writeAccountWithKeys(tx, { ...request, ...by })) };
  }, firstAccountId);
}
