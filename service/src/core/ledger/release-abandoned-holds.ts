import { sql } from 'kysely';
import { statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import { settle } from './settle.ts';

/**
 * Gives back what single requests reserved and will not settle: their time is over (L3), or the process
 * that served them is dead. A request that comes late finds its hold settled, and its verdict is withheld.
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
    // Only holds of single requests have an owner; so they are found among those that are open now.
    .where('expires_at', '>', sql.lit(0))
    .where('owner', '=', arg.owner)
    .limit(holdsAtOnce),
);

type Hold = { account_id: string; id: string };
type Parts = { store: Pick<Store, 'read' | 'write'> };

/** How many were found; as many as are done at once means that there may be more. */
export async function releaseExpiredHolds(now: number, parts: Parts): Promise<number> {
  return releaseAll(await parts.store.read.all(findExpired, { now }), now, parts);
}

export async function releaseHoldsOf(
  { processId, now }: { processId: string; now: number },
  parts: Parts,
): Promise<number> {
  return releaseAll(await parts.store.read.all(findOwned, { owner: processId }), now, parts);
}

/** Each account's in a transaction of its own; one that was settled meanwhile is left as it is. */
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
