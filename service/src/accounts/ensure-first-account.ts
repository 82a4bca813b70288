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

/** A new installation starts with an account to try it with. One transaction, so that of two first starts one makes it. */
export async function ensureFirstAccount({
  store,
  wallClock,
}: {
  store: Store;
  wallClock: WallClock;
}): Promise<FirstAccountAnswer> {
  const now = wallClock.now();
  return store.write(async (tx) => {
    if ((await tx.first(anyAccount, {})) !== undefined) return { kind: 'exists' };
    const account = await writeAccount(tx, { name: 'first account', plan: 'paid', credits, now });
    const { accountId } = account;
    const liveKey = await writeKey(tx, { accountId, mode: 'live', now });
    const testKey = await writeKey(tx, { accountId, mode: 'test', now });
    return { kind: 'created', account, credits, liveKey, testKey };
  });
}
