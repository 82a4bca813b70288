import { dayMs } from '../ledger/daily-cap.ts';
import type { ReadKeyUsage } from '../ledger/read-usage.ts';
import type { Store } from '../store/store.ts';
import { statement } from '../store/statement.ts';
import type { WallClock } from '../store/wall-clock.ts';
import { limitsOf, type KeyLimits } from './key-limits.ts';

export type ListedKey = {
  keyId: string;
  accountId: string;
  mode: 'live' | 'test';
  name: string;
  last4: string;
  createdAt: number;
  deletedAt: number | null;
  limits: KeyLimits;
  /** The last day of use, since the epoch. */
  lastUsedDay: number | null;
  /** What counts against its cap today; null where it has none. */
  creditsToday: number | null;
};

const findKeys = statement((db, arg: { account: string }) =>
  db
    .selectFrom('api_key')
    .select(['id', 'mode', 'name', 'last4', 'created_at', 'deleted_at'])
    .select(['scopes', 'expires_at', 'allowed_ips', 'credits_per_day'])
    .select(['capped_day', 'capped_credits', 'last_used_day'])
    .where('account_id', '=', arg.account)
    .orderBy('created_at')
    .orderBy('id'),
);

export async function listKeys(
  accountId: string,
  { store, wallClock }: { store: Pick<Store, 'read'>; wallClock: WallClock },
): Promise<ListedKey[]> {
  const rows = await store.read.all(findKeys, { account: accountId });
  const today = Math.floor(wallClock.now() / dayMs);
  return rows.map((row) => ({
    keyId: row.id,
    accountId,
    mode: row.mode,
    name: row.name,
    last4: row.last4,
    createdAt: row.created_at,
    deletedAt: row.deleted_at,
    limits: limitsOf(row),
    lastUsedDay: row.last_used_day,
    creditsToday: row.credits_per_day === null ? null : row.capped_day >= today ? row.capped_credits : 0,
  }));
}

/** A key with the credits that were charged to it in the last days. */
export type LivingKey = ListedKey & { creditsUsed: number };

const creditDays = 30;

/** Those that are not deleted, the newest first. */
export async function listLivingKeys(
  accountId: string,
  { usageByKey, ...parts }: Parameters<typeof listKeys>[1] & { usageByKey: ReadKeyUsage },
): Promise<LivingKey[]> {
  const keys = await listKeys(accountId, parts);
  const living = keys.filter(({ deletedAt }) => deletedAt === null).reverse();
  const credits = living.length === 0 ? undefined : await usageByKey({ accountId, days: creditDays });
  return living.map((key) => ({ ...key, creditsUsed: credits?.get(key.keyId) ?? 0 }));
}
