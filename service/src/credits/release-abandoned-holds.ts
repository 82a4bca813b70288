import { sql } from 'kysely';
import { statement, type Tx } from '../db/statement.ts';
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
    .where('owner', '=', arg.owner)
    .limit(holdsAtOnce),
);

/** How many were released; as many as are done at once means that there may be more. */
export async function releaseExpiredHolds(tx: Tx, now: number): Promise<number> {
  return releaseAll(tx, await tx.all(findExpired, { now }), now);
}

export async function releaseHoldsOf(
  tx: Tx,
  { processId, now }: { processId: string; now: number },
): Promise<number> {
  return releaseAll(tx, await tx.all(findOwned, { owner: processId }), now);
}

async function releaseAll(tx: Tx, holds: { account_id: string; id: string }[], now: number): Promise<number> {
  for (const { account_id, id } of holds)
    await settle(tx, { accountId: account_id, holdId: id, charge: 0, now });
  return holds.length;
}
