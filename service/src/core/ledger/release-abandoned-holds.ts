import { sql } from 'kysely';
import { statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import { settle } from './settle.ts';

/**
 * Gives back holds of single requests that will not be settled: they have expired (L3), or their process is dead. A
 * late request finds its hold settled, and its verdict is withheld.
 */
const holdsAtOnce = 500;

const findExpired = statement((db, arg: { now: number }) =>
  db
    .selectFrom('hold')
    .select(['account_id', 'id'])
    .where('state', '=', sql.lit('open'))
    .where('expires_at', '<=', arg.now)
    .limit(holdsAtOnce),
);

const findOwned = statement((db, arg: { owner: string }) =>
  db
    .selectFrom('hold')
    .select(['account_id', 'id'])
    .where('state', '=', sql.lit('open'))
    // Only holds of single requests have an owner, so the search is limited to the open ones.
    .where('expires_at', '>', sql.lit(0))
    .where('owner', '=', arg.owner)
    .limit(holdsAtOnce),
);

type Hold = { account_id: string; id: string };
type Parts = { store: Pick<Store, 'read' | 'write'> };

/** Returns how many holds were found; a full batch means that there may be more. */
export async function releaseExpiredHolds(now: number, parts: Parts): Promise<number> {
  return releaseAll(await parts.store.read.all(findExpired, { now }), now, parts);
}

export async function releaseHoldsOf(
  { processId, now }: { processId: string; now: number },
  parts: Parts,
): Promise<number> {
  return releaseAll(await parts.store.read.all(findOwned, { owner: processId }), now, parts);
}

/** Releases each account's holds in a transaction of its own; holds that were settled meanwhile stay as they are. */
async function releaseAll(holds: Hold[], now: number, { store }: Parts): Promise<number> {
  const release = (accountId: string, own: Hold[]) =>
    store.write(
      (tx) => Promise.all(own.map(({ id }) => settle(tx, { accountId, holdId: id, charge: 0, now }))),
      accountId,
    );
  const byAccount = Map.groupBy(holds, (hold) => hold.account_id);
  await Promise.all([...byAccount].map(([accountId, own]) => release(accountId, own)));
  return holds.length;
}
