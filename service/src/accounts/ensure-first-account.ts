import type { Store } from '../db/store.ts';
import { statement } from '../db/statement.ts';
import type { WallClock } from '../db/wall-clock.ts';
import { writeKey, type IssuedKey } from '../keys/issue-key.ts';
import { writeAccount, type Account } from './create-account.ts';

export type FirstAccountAnswer =
  | { kind: 'created'; account: Account; credits: number; liveKey: IssuedKey; testKey: IssuedKey }
  | { kind: 'exists' };

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
    const accountId = firstAccountId;
    const account = await writeAccount(tx, {
      accountId,
      name: 'first account',
      plan: 'paid',
      credits,
      ...by,
    });
    const liveKey = await writeKey(tx, { accountId, mode: 'live', ...by });
    const testKey = await writeKey(tx, { accountId, mode: 'test', ...by });
    if (liveKey.kind !== 'issued' || testKey.kind !== 'issued') throw new Error('a new account had keys');
    return { kind: 'created', account, credits, liveKey, testKey };
  }, firstAccountId);
}
